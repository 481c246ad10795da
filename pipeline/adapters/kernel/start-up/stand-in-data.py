"""Small local data sets in place of downloads.

Pages get handwritten digits for MNIST, and a photograph for SciPy's sample image. Both are made
from data of scikit-learn when a page asks for them, with the same bytes every time. The report
mentions the replacement.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from types import ModuleType
from typing import Any

from pipeline_startup import on_import

# In the page's own folder, and removed with it.
DATA = Path(os.environ.get("TMPDIR", "/tmp")) / "stand-in-data"  # noqa: S108
# A tenth of MNIST: enough for training, and easy to recognize as a replacement.
SIZES = (("train", 6000), ("t10k", 1000))
SIDE, MARGIN, SHIFT = 28, 4, 2  # pixels


def digits() -> Path:
    """Create MNIST's files in its format (IDX) and return their folder.

    The digits are those of scikit-learn (8×8), enlarged, and shifted by up to two pixels.
    """
    folder = DATA / "MNIST" / "raw"
    if folder.is_dir():
        return folder
    import numpy as np
    from PIL import Image
    from sklearn.datasets import load_digits

    original = load_digits()
    inner = SIDE - 2 * MARGIN
    large = [
        np.asarray(
            Image.fromarray(image).resize((inner, inner), Image.Resampling.BILINEAR)
        )
        for image in to_bytes(original.images)
    ]
    images = np.pad(np.stack(large), ((0, 0), (MARGIN, MARGIN), (MARGIN, MARGIN)))
    order = np.random.RandomState(0).permutation(len(images))
    folder.mkdir(parents=True)
    for seed, (name, count) in enumerate(SIZES, start=1):
        # As in MNIST, training and test data have no digit in common.
        rows = order[:1500] if name == "train" else order[1500:]
        state = np.random.RandomState(seed)
        chosen = rows[state.randint(0, len(rows), count)]
        shifts = state.randint(-SHIFT, SHIFT + 1, (count, 2))
        moved = []
        for index, shift in zip(chosen, shifts, strict=True):
            moved.append(np.roll(images[index], tuple(shift), (0, 1)))
        header = struct.pack(">IIII", 2051, count, SIDE, SIDE)
        (folder / f"{name}-images-idx3-ubyte").write_bytes(
            header + np.stack(moved).tobytes()
        )
        labels = original.target[chosen].astype("uint8").tobytes()
        (folder / f"{name}-labels-idx1-ubyte").write_bytes(
            struct.pack(">II", 2049, count) + labels
        )
    return folder


def to_bytes(images: Any) -> Any:
    """Return grey values of 0 to 16 as bytes."""
    return (images * (255 / 16)).astype("uint8")


def photograph(module: ModuleType) -> None:
    """Provide the image for ``scipy.datasets``, in pooch's cache and with a valid digest."""
    import bz2
    import hashlib

    import numpy as np
    from PIL import Image
    from sklearn.datasets import load_sample_image

    picture = (
        Image.fromarray(load_sample_image("china.jpg"))
        .resize((1152, 768), Image.Resampling.BILINEAR)
        .crop((64, 0, 1088, 768))
    )
    data = bz2.compress(np.asarray(picture).tobytes(), 1)
    folder = DATA / "scipy-data"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "face.dat").write_bytes(data)
    module.data_fetcher.path = str(folder)
    module.data_fetcher.registry["face.dat"] = hashlib.sha256(data).hexdigest()


def torch_mnist(module: ModuleType) -> None:
    """Provide the files for ``torchvision.datasets.MNIST``, which downloads only missing ones."""
    module.MNIST.raw_folder = property(lambda _: str(digits()))


def tensorflow_mnist(module: Any) -> None:
    """Make ``tensorflow_datasets.load`` use a prepared data set in another folder."""
    real = module.load
    folder = str(DATA / "tfds")

    def load(
        name: str, *arguments: Any, data_dir: str | None = None, **options: Any
    ) -> Any:
        if not os.path.isdir(f"{folder}/mnist"):
            prepare(module, folder)
        return real(name, *arguments, data_dir=folder, download=False, **options)

    module.load = load


def prepare(tfds: Any, folder: str) -> None:
    """Store the digits in the format of TensorFlow Datasets."""
    import numpy as np
    import tensorflow as tf  # type: ignore[import-not-found, import-untyped, unused-ignore] # an optional group

    def split(name: str) -> Any:
        images = np.frombuffer(
            (digits() / f"{name}-images-idx3-ubyte").read_bytes(), "uint8", offset=16
        ).reshape(-1, SIDE, SIDE, 1)
        labels = np.frombuffer(
            (digits() / f"{name}-labels-idx1-ubyte").read_bytes(), "uint8", offset=8
        ).astype("int64")
        return tf.data.Dataset.from_tensor_slices({"image": images, "label": labels})

    image = tfds.features.Image(shape=(SIDE, SIDE, 1))
    tfds.dataset_builders.store_as_tfds_dataset(
        name="mnist",
        version="3.0.1",
        data_dir=folder,
        features=tfds.features.FeaturesDict(
            {"image": image, "label": tfds.features.ClassLabel(num_classes=10)}
        ),
        split_datasets={"train": split("train"), "test": split("t10k")},
        disable_shuffling=True,
    )


on_import("scipy.datasets._fetchers", photograph)
on_import("torchvision.datasets.mnist", torch_mnist)
on_import("tensorflow_datasets", tensorflow_mnist)
