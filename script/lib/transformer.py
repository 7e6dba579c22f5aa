# SPDX-License-Identifier: Apache-2.0
"""The encoder block of transformers, in the form that PyTorch exports."""

import numpy as np


def attention(graph, x, tokens, width, heads, mask=None):
    """Adds multi-head self-attention. `mask` is added to the scores."""
    size = width // heads

    def head_rows(order):
        return graph.transpose(graph.reshape(graph.linear(x, width, width), 1, tokens, heads, size), *order)

    query, key, value = head_rows((0, 2, 1, 3)), head_rows((0, 2, 3, 1)), head_rows((0, 2, 1, 3))
    scores = graph.op("Div", graph.op("MatMul", query, key), np.float32(size**0.5))
    weights = graph.op("Softmax", graph.op("Add", scores, mask) if mask else scores, axis=-1)
    joined = graph.transpose(graph.op("MatMul", weights, value), 0, 2, 1, 3)
    return graph.linear(graph.reshape(joined, 1, tokens, width), width, width)


def feed_forward(graph, x, width, activation):
    return graph.linear(activation(graph, graph.linear(x, width, 4 * width)), 4 * width, width)


def encoder_block(graph, x, tokens, width, heads, activation):
    """Adds a block with normalization before attention and before the feed-forward layer, as vision transformers."""
    x = graph.op("Add", x, attention(graph, graph.layer_norm(x, width, 1e-6), tokens, width, heads))
    return graph.op("Add", x, feed_forward(graph, graph.layer_norm(x, width, 1e-6), width, activation))


def bert_block(graph, x, tokens, width, heads, mask, activation):
    """Adds a block with normalization after each residual sum, as BERT."""
    x = graph.layer_norm(graph.op("Add", attention(graph, x, tokens, width, heads, mask), x), width, 1e-12)
    return graph.layer_norm(graph.op("Add", feed_forward(graph, x, width, activation), x), width, 1e-12)
