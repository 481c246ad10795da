"""What was so when the only docs were those of JAX, and still holds where files do not say it.

Locks, reports, configurations and caches of then name no package, and call its version by it. All
of them stay valid, so these words are read; nothing else here is about one package.
"""

from __future__ import annotations

PACKAGE = "JAX"  # what docs are of that do not say it
VERSION_KEY = "jax"  # what locks, reports and options called the version
PLACEHOLDER = "{jax}"  # and what refs did, which may go on doing so
RELEASE_REF = "jax-v{jax}"  # how that package names its releases
# See Upstream.usual_names.
USUAL_NAMES = {"jnp": "jax.numpy", "lax": "jax.lax", "np": "numpy"}
