# SPDX-License-Identifier: Apache-2.0
"""Text and audio networks that people deploy, true to their papers, with generated weights (script/bench/networks)."""

import numpy as np

from onnx_graph import Graph, gelu, relu
from transformer import bert_block


def minilm():
    """MiniLM-L6-H384 (Wang et al., 2020) as a sentence encoder: 128 tokens, masked mean, unit length."""
    graph, width, tokens = Graph("minilm"), 384, 128
    ids, mask = (graph.input(name, [1, tokens], "i64") for name in ("input_ids", "attention_mask"))
    x = graph.op("Gather", graph.draw((30522, width), 0.05), ids, axis=0)
    x = graph.op("Add", graph.op("Add", x, graph.draw(width, 0.05)), graph.draw((1, tokens, width), 0.05))
    x = graph.layer_norm(x, width, 1e-12)
    is_token = graph.op("Cast", mask, to=1)
    far = graph.op("Mul", graph.op("Sub", np.float32(1), graph.reshape(is_token, 1, 1, 1, tokens)), np.float32(-10000))
    for _ in range(6):
        x = bert_block(graph, x, tokens, width, heads=12, mask=far, activation=gelu)
    each = graph.reshape(is_token, 1, tokens, 1)
    total = graph.op("ReduceSum", graph.op("Mul", x, each), np.array([1], np.int64), keepdims=0)
    count = graph.op("Clip", graph.op("ReduceSum", each, np.array([1], np.int64), keepdims=0), np.float32(1e-9))
    mean = graph.op("Div", total, count)
    return graph, graph.op("Div", mean, graph.op("ReduceL2", mean, axes=[1], keepdims=1))


def crnn():
    """Shi et al., "An End-to-End Trainable Neural Network for Image-based Sequence Recognition" (2015), table 1."""
    graph = Graph("crnn")

    def pool(x, stride, pads=(0, 0, 0, 0)):
        return graph.op("MaxPool", x, kernel_shape=[2, 2], strides=stride, pads=pads)

    x = pool(graph.conv(graph.input("image", [1, 1, 32, 100]), 64, 3, activation=relu), [2, 2])
    x = pool(graph.conv(x, 128, 3, activation=relu), [2, 2])
    x = graph.conv(graph.conv(x, 256, 3, activation=relu), 256, 3, activation=relu)
    x = pool(x, [2, 1], (0, 1, 0, 1))
    x = graph.conv(graph.conv(x, 512, 3, activation=relu), 512, 3, activation=relu)
    x = graph.conv(pool(x, [2, 1], (0, 1, 0, 1)), 512, 2, pads=[0] * 4, activation=relu)
    steps, x = 26, graph.transpose(graph.op("Squeeze", x, np.array([2], np.int64)), 2, 0, 1)
    for inputs in (512, 512):
        y = graph.recurrent("LSTM", 4, x, inputs, 256, is_bidirectional=True)
        x = graph.reshape(graph.transpose(y, 0, 2, 1, 3), steps, 1, 512)
    return graph, graph.op("Softmax", graph.linear(x, 512, 37), axis=-1)


def wake_word_lstm():
    """Zhang et al., "Hello Edge" (2017): an LSTM with 214 cells over 49 frames of 10 coefficients."""
    graph, cells = Graph("wake_word_lstm"), 214
    x = graph.transpose(graph.input("frames", [1, 49, 10]), 1, 0, 2)
    last = graph.op("Gather", graph.recurrent("LSTM", 4, x, 10, cells), np.int64(48), axis=0)
    return graph, graph.op("Softmax", graph.dense(graph.reshape(last, 1, cells), cells, 12), axis=1)


def windowed_waves(frequencies, length):
    """Returns the real and the imaginary part of Hann-windowed waves, as convolution weights. A frequency is in cycles
    per sample."""
    time = np.arange(length) - length / 2
    waves = np.exp(-2j * np.pi * np.outer(frequencies, time)) * np.hanning(length) / length
    return np.concatenate([waves.real, waves.imag]).astype(np.float32)[:, None, :]


def conv1d(graph, x, weights, stride, pad):
    return graph.op("Conv", x, weights, channels=len(weights), kernel_shape=[weights.shape[2]], strides=[stride],
                    pads=[pad, pad])


def squared_magnitude(graph, x, bins):
    real, imaginary = graph.op("Split", x, np.array([bins, bins], np.int64), axis=1, outputs=2)
    return graph.op("Add", graph.op("Mul", real, real), graph.op("Mul", imaginary, imaginary))


def cqt_frontend():
    """A constant-Q transform by octaves (Schörkhuber and Klapuri, 2010): each octave has half the sampling rate of the
    one above, so one kernel serves all. 2 s at 22.05 kHz, 36 bins per octave, 7 octaves."""
    graph, bins, kernel_length, octaves = Graph("cqt_frontend"), 36, 1024, 7
    kernel = windowed_waves(0.25 * 2 ** (np.arange(bins) / bins), kernel_length)
    time = np.arange(256) - 127.5
    low_pass = (np.sinc(time / 2) / 2 * np.hamming(256)).astype(np.float32)[None, None, :]
    x, found, hop = graph.input("samples", [1, 1, 44032]), [], 256
    for octave in range(octaves):
        if octave > 0:
            x, hop = conv1d(graph, x, low_pass, 2, 127), hop // 2
        found.insert(0, squared_magnitude(graph, conv1d(graph, x, kernel, hop, kernel_length // 2), bins))
    frames = 44032 // 256
    found = [graph.op("Slice", y, np.array([0]), np.array([frames]), np.array([2])) for y in found]
    magnitude = graph.op("Sqrt", graph.op("Concat", *found, axis=1))
    return graph, graph.op("Log", graph.op("Add", magnitude, np.float32(1e-3)))


def stft_mel():
    """The log mel spectrogram of speech models, with the Fourier transform as a convolution: 1 s at 16 kHz, windows of
    400 samples every 160, 80 mel bands."""
    graph, size, bands = Graph("stft_mel"), 400, 80
    bins = size // 2 + 1
    spectrum = conv1d(graph, graph.input("samples", [1, 1, 16000]), windowed_waves(np.arange(bins) / size, size), 160, 200)
    mel = np.linspace(0, 2595 * np.log10(1 + 8000 / 700), bands + 2)
    edges = 700 * (10 ** (mel / 2595) - 1) / 8000 * (bins - 1)
    position = np.arange(bins)[None, :]
    rise = (position - edges[:-2, None]) / np.diff(edges)[:-1, None]
    fall = (edges[2:, None] - position) / np.diff(edges)[1:, None]
    filters = np.maximum(0, np.minimum(rise, fall)).astype(np.float32)
    energy = graph.op("MatMul", graph.constant(filters), squared_magnitude(graph, spectrum, bins))
    return graph, graph.op("Log", graph.op("Clip", energy, np.float32(1e-6)))


def ds_cnn():
    """The keyword spotting model of MLPerf Tiny: a depthwise separable CNN (Zhang et al., 2017)."""
    graph = Graph("ds_cnn")
    x = graph.conv(graph.input("frames", [1, 1, 49, 10]), 64, (10, 4), 2, [4, 1, 5, 1], activation=relu)
    for _ in range(4):
        x = graph.conv(graph.depthwise(x, 3, activation=relu), 64, 1, activation=relu)
    return graph, graph.classify(x, 12)


def autoencoder():
    """The anomaly detection model of MLPerf Tiny: dense layers 640-128-128-128-128-8-128-128-128-128-640."""
    graph = Graph("autoencoder")
    x, width = graph.input("frames", [1, 640]), 640
    for out in (128, 128, 128, 128, 8, 128, 128, 128, 128):
        x, width = graph.dense(x, width, out, relu), out
    return graph, graph.dense(x, width, 640)
