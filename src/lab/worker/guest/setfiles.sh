#!/bin/sh
# Debian's Ignition insists on labelling what it wrote, and the guest has no SELinux to label for.
exec cat >/dev/null
