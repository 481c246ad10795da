"""upgrade: move to another release, pin and docs together, and back if that fails.

``upgrading`` is the verb. ``moving`` has the pin that is to be moved, ``comparing`` tells what the
move means, ``restoring`` has the scratch copy to try it in and the way back.
"""
