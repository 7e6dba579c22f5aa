# SPDX-License-Identifier: Apache-2.0
"""The names of the networks that script/bench/networks measures."""

# Classifiers of images, in the formats of all runtimes, in f32 and 8 bits (bench_networks.py).
CLASSIFIERS = ("squeezenet1.1", "mobilenet_v2", "resnet18", "resnet50", "googlenet")
# Other networks that people deploy, as ONNX in f32 (deployed_vision.py, deployed_sequences.py).
DEPLOYED = ("mobilenet_v3_small", "efficientnet_lite0", "yolov5n", "unet", "fsrcnn", "deit_tiny", "minilm", "crnn",
            "wake_word_lstm", "cqt_frontend", "stft_mel", "ds_cnn", "mobilenet_v1_025", "resnet8", "autoencoder")
