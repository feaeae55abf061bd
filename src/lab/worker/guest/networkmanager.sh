# Read by init.sh: the network as RHCOS has it, by NetworkManager with its own DHCP client and no configuration but its defaults. It needs
# udev, which tells it that the link is there, and a bus. Without systemd's hostnamed it sets the name of option 12 itself.
/usr/lib/systemd/systemd-udevd --daemon
udevadm trigger --action=add
udevadm settle
mkdir -p /run/dbus
dbus-uuidgen --ensure
dbus-daemon --system --fork --nopidfile
NetworkManager --debug >/var/log/lab/dhcp.log 2>&1 &
until nm-online --quiet --timeout=1 && grep -q '^nameserver' /etc/resolv.conf; do sleep 0.2; done
# The name comes a moment after the address; a server that sends none leaves it as it is.
tries=25
while [ "$(hostname)" = localhost ] && [ "$tries" -gt 0 ]; do
  tries=$((tries - 1))
  sleep 0.2
done
ip -4 -oneline address show dev eth0 scope global | sed -n 's/.* inet \([^ ]*\) .*/\1/p' >/run/lab/lease
step lease "$(cat /run/lab/lease) $(hostname | grep -vx localhost)"
