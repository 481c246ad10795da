"""What people call a thing who come from PyTorch, TensorFlow, Keras or NumPy, and what it is here.

The names are those of code, in all languages; a locale's own words are in ``readers``. Who asks for
a name on the left is shown what has one on the right, never the other way round. A name that the
docs do not have leads nowhere.
"""

from __future__ import annotations

# The last part of a name, or a dotted one as a whole, in small letters.
NAMES = {
    # Gradients.
    "autograd": "grad value_and_grad",
    "autograd.function": "custom_vjp",
    "backward": "grad value_and_grad",
    "detach": "stop_gradient",
    "gradienttape": "grad value_and_grad",
    "no_grad": "stop_gradient",
    "register_hook": "custom_vjp",
    "requires_grad": "grad stop_gradient",
    # What is done to functions.
    "functorch": "vmap grad",
    "jit.script": "jax.jit",
    "map_fn": "lax.map vmap",
    "numba": "jax.jit pallas",
    "prange": "vmap",
    "tf.function": "jax.jit",
    "torch.compile": "jax.jit",
    "torchscript": "jax.jit jax.export",
    "vectorized_map": "vmap",
    # Arrays.
    "as_tensor": "jax.numpy.asarray",
    "assign_add": "ndarray.at",
    "bmm": "matmul",
    "cat": "concatenate",
    "clamp": "clip",
    "constant": "jax.numpy.asarray",
    "convert_to_tensor": "jax.numpy.asarray",
    "from_numpy": "jax.numpy.asarray",
    "index_add": "ndarray.at",
    "index_put": "ndarray.at",
    "index_select": "take",
    "masked_fill": "jax.numpy.where",
    "mm": "matmul",
    "numel": "size",
    "permute": "transpose",
    "reduce_sum": "jax.numpy.sum",
    "scatter_add": "ndarray.at",
    "tensor_scatter_nd_update": "ndarray.at",
    "topk": "top_k",
    "torch.tensor": "jax.numpy.asarray",
    "unsqueeze": "expand_dims",
    # Random numbers.
    "default_rng": "random.key",
    "manual_seed": "random.key",
    "multinomial": "random.categorical random.choice",
    "rand": "random.uniform",
    "randn": "random.normal",
    "randperm": "random.permutation",
    "set_seed": "random.key",
    # Models and their training.
    "adam": "optax optimizers.adam",
    "amp": "bfloat16",
    "autocast": "bfloat16",
    "batchnorm": "flax",
    "cross_entropy": "log_softmax optax",
    "functional_call": "pytree",
    "keras": "flax",
    "nn.linear": "flax",
    "nn.module": "flax",
    "nn.sequential": "flax stax",
    "sgd": "optax optimizers.sgd",
    "state_dict": "pytree",
    "torch.optim": "optax",
    # Devices, and more than one of them.
    "all_reduce": "psum",
    "allreduce": "psum",
    "data_ptr": "unsafe_buffer_pointer",
    "dataparallel": "NamedSharding",
    "ddp": "NamedSharding",
    "device_map": "NamedSharding",
    "distributeddataparallel": "NamedSharding",
    "dtensor": "NamedSharding",
    "fsdp": "NamedSharding",
    "horovod": "jax.distributed",
    "mirroredstrategy": "NamedSharding",
    "mpirun": "jax.distributed",
    "nccl": "jax.distributed",
    "to_device": "device_put",
    "torchrun": "jax.distributed",
    # Other programs.
    "onnx": "jax.export",
    "savedmodel": "jax2tf jax.export",
    "tflite": "jax2tf jax.export",
}

# What stands before the last dot: ``torch.where`` is ``jax.numpy.where``.
MODULES = {
    "np.random": "jax.random",
    "numpy.random": "jax.random",
    "tf": "jax.numpy jax.lax",
    "tf.linalg": "jax.numpy.linalg",
    "tf.nn": "jax.nn jax.lax",
    "tf.random": "jax.random",
    "torch": "jax.numpy jax.lax",
    "torch.distributed": "jax.distributed jax.lax",
    "torch.distributions": "jax.random",
    "torch.func": "jax",
    "torch.nn.functional": "jax.nn jax.lax",
    "torch.nn.init": "jax.nn.initializers",
    "torch.profiler": "jax.profiler",
    "torch.special": "jax.scipy.special",
    "torch.utils": "jax",
}
