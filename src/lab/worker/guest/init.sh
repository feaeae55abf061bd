#!/bin/sh
# Process 1 of a worker VM. It does in order what RHCOS does on its first boot: network, Ignition, and then what Ignition wrote. What
# it cannot be is systemd: the units that Ignition writes are started by reading their ExecStart.
export PATH=/lab/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=linux

# The initramfs has left us /proc, /sys, /dev and /run.
mkdir -p /dev/pts /dev/shm /dev/disk/by-label
mountpoint -q /dev/pts || mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
mount -t cgroup2 cgroup /sys/fs/cgroup
mkdir -p /run/lab /var/log/lab
mount --make-rshared /

step() { printf '%s\t%s\t%s\n' "$(date +%s.%N)" "$1" "${2:-}" >"$LAB_STEPS"; }
say() { echo "lab: $*" >/dev/console; }

hostname localhost
(while :; do setsid busybox cttyhack sh -l </dev/ttyS0 >/dev/ttyS0 2>&1; sleep 1; done) &
modprobe -a virtio_console virtio_net overlay br_netfilter
# The ports of QEMU's command line, found by name as udev would find them.
port() { grep -lx "$1" /sys/class/virtio-ports/*/name 2>/dev/null | sed 's|/sys/class/virtio-ports/\(.*\)/name|/dev/\1|'; }
until [ -c "$(port steps)" ] && [ -c "$(port agent)" ] && [ -e /sys/class/net/eth0 ]; do sleep 0.1; done
export LAB_STEPS="$(port steps)"
step boot "$(uname -r)"

guest agent "$(port agent)" >/var/log/lab/agent.log 2>&1 &

ip link set lo up
say 'waiting for a lease'
case " $(cat /proc/cmdline) " in
  *' lab.dhcp=networkmanager '*) . /lab/networkmanager.sh ;;
  *)
    ip link set eth0 up
    # Asks for ever, every two seconds at most: a lab that must be reset by hand helps nobody.
    busybox udhcpc -f -i eth0 -s /lab/dhcp.sh -t 4 -T 1 -A 2 -O search -O staticroutes -O mtu -O ntpsrv >/var/log/lab/dhcp.log 2>&1 &
    until [ -e /run/lab/lease ]; do sleep 0.1; done
    ;;
esac
say "lease $(cat /run/lab/lease), I am $(hostname)"

# KubeVirt's config drive, found as udev would have it found.
ln -sf "$(blkid -L config-2)" /dev/disk/by-label/config-2
mkdir -p /run/lab/config-drive
mount -o ro /dev/disk/by-label/config-2 /run/lab/config-drive
cp /run/lab/config-drive/openstack/latest/user_data /run/lab/user-data
umount /run/lab/config-drive

say 'waiting for DNS'
guest dns --steps="$LAB_STEPS" --user-data=/run/lab/user-data >/var/log/lab/dns.log 2>&1

say 'waiting for Ignition'
for stage in fetch files; do
  until ignition -platform kubevirt -stage "$stage" -root / -config-cache /run/ignition.json -state-file /run/ignition.state \
    -log-to-stdout >>/var/log/lab/ignition.log 2>&1; do
    tail -n 3 /var/log/lab/ignition.log >/dev/console
    sleep 2
  done
done
step ignition "$(sed -n 's/.*"source":"https:\/\/\([^/"]*\)\/ignition".*/\1/p' /run/lab/user-data)"

containerd >/var/log/lab/containerd.log 2>&1 &
# As systemd would with Restart=always.
for unit in /etc/systemd/system/*.service; do
  name=$(basename "$unit" .service)
  before=$(sed -n 's/^ExecStartPre=//p' "$unit")
  command=$(sed -n 's/^ExecStart=//p' "$unit")
  say "starting $name"
  (while :; do sh -c "$before"; sh -c "exec $command"; sleep 1; done >>"/var/log/lab/$name.log" 2>&1) &
done
step kubelet "$(hostname)"
(until ctr -n k8s.io images import /lab/pause.tar >/var/log/lab/images.log 2>&1; do sleep 1; done) &

guest watch-node --steps="$LAB_STEPS" --bootstrap-kubeconfig=/etc/kubernetes/kubeconfig \
  --identity=/var/lib/kubelet/pki/kubelet-client-current.pem --name="$(hostname)" >/var/log/lab/watch-node.log 2>&1
say "$(hostname) is Ready"
while :; do wait; sleep 1; done
