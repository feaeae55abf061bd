#!/bin/sh
# The first process of a node: gives it a view of the machine of its own, then does nothing but hold it.
# Runs in fresh mount and UTS namespaces. Whatever is mounted in them goes away with their last process.
#   node-init.sh NODE_DIR NAME KEEP...      KEEP: directories of the machine that must stay visible where they are
set -eu
dir=$1 name=$2
shift 2
echo "$name" >/proc/sys/kernel/hostname

# Copies of other people's network namespaces: holding them here would keep them alive after their owners removed them.
umount -l -R /run/netns 2>/dev/null || true

# A /sys that shows this node's interfaces, with the machine's cgroups left in it (a kubelet dies without them).
mkdir -p "$dir/cgroup"
mount --rbind /sys/fs/cgroup "$dir/cgroup"
mount -t sysfs sysfs /sys
mount --rbind "$dir/cgroup" /sys/fs/cgroup
umount -l -R "$dir/cgroup"

# A kubelet insists on these kernel settings and would change them for the whole machine, for ever: it gets copies that say what it wants.
set_copy() {
  [ -e "/proc/sys/$1" ] || return 0
  mkdir -p "$dir/sysctl/$(dirname "$1")"
  echo "$2" >"$dir/sysctl/$1"
  mount --bind "$dir/sysctl/$1" "/proc/sys/$1"
}
set_copy vm/overcommit_memory 1
set_copy vm/panic_on_oom 0
set_copy kernel/panic 10
set_copy kernel/panic_on_oops 1
set_copy kernel/keys/root_maxkeys 1000000
set_copy kernel/keys/root_maxbytes 25000000

# What daemons of a node write to fixed places (shim sockets, CNI results, the xtables lock, log links) stays in the node.
for covered in /run /var/lib /var/log; do
  mkdir -p "$dir$covered"
  for keep in "$@"; do
    case $keep in
      "$covered"/*)
        mkdir -p "$dir$keep"
        mount --rbind "$keep" "$dir$keep"
        ;;
    esac
  done
  mount --rbind "$dir$covered" "$covered"
done
# Volumes with mount propagation need a shared tree; shared among the node's own namespaces only.
mount --make-rshared /
: >"$dir/ready"
exec sleep infinity
