"""What people call a thing who come from PyTorch, TensorFlow, Keras or NumPy, and what it is here.

The names are those of code, in all languages; a locale's own words are in ``readers``. Who asks for
a name on the left is shown what has one on the right, never the other way round. A name that the
docs do not have leads nowhere. A name on the right that begins with a dot is one of the package of
the docs: ``.numpy.asarray``.
"""

from __future__ import annotations

from collections.abc import Mapping

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
    "jit.script": ".jit",
    "map_fn": "lax.map vmap",
    "numba": ".jit pallas",
    "prange": "vmap",
    "tf.function": ".jit",
    "torch.compile": ".jit",
    "torchscript": ".jit .export",
    "vectorized_map": "vmap",
    # Arrays.
    "as_tensor": ".numpy.asarray",
    "assign_add": "ndarray.at",
    "bmm": "matmul",
    "cat": "concatenate",
    "clamp": "clip",
    "constant": ".numpy.asarray",
    "convert_to_tensor": ".numpy.asarray",
    "from_numpy": ".numpy.asarray",
    "index_add": "ndarray.at",
    "index_put": "ndarray.at",
    "index_select": "take",
    "masked_fill": ".numpy.where",
    "mm": "matmul",
    "numel": "size",
    "permute": "transpose",
    "reduce_sum": ".numpy.sum",
    "scatter_add": "ndarray.at",
    "tensor_scatter_nd_update": "ndarray.at",
    "topk": "top_k",
    "torch.tensor": ".numpy.asarray",
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
    "horovod": ".distributed",
    "mirroredstrategy": "NamedSharding",
    "mpirun": ".distributed",
    "nccl": ".distributed",
    "to_device": "device_put",
    "torchrun": ".distributed",
    # Other programs.
    "onnx": ".export",
    "savedmodel": "jax2tf .export",
    "tflite": "jax2tf .export",
}

# What stands before the last dot: ``torch.where`` is ``jax.numpy.where``.
MODULES = {
    "np.random": ".random",
    "numpy.random": ".random",
    "tf": ".numpy .lax",
    "tf.linalg": ".numpy.linalg",
    "tf.nn": ".nn .lax",
    "tf.random": ".random",
    "torch": ".numpy .lax",
    "torch.distributed": ".distributed .lax",
    "torch.distributions": ".random",
    "torch.func": ".",
    "torch.nn.functional": ".nn .lax",
    "torch.nn.init": ".nn.initializers",
    "torch.profiler": ".profiler",
    "torch.special": ".scipy.special",
    "torch.utils": ".",
}


def names_in(package: str, table: Mapping[str, str]) -> dict[str, str]:
    """Return a table with the whole names of ``package`` on the right."""
    return {
        asked: " ".join(_whole(name, package) for name in names.split())
        for asked, names in table.items()
    }


def _whole(name: str, package: str) -> str:
    """Return a name with its package, if it begins with a dot."""
    return f"{package}{name}".rstrip(".") if name.startswith(".") else name
