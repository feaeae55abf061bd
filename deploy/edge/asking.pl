# How the probes of an edge ask its daemons. Required, never run. Each function dies with a line that says what is wrong.
#
# Perl because it is an essential package of Debian, so the image needs no HTTP client and no socket tool that an intruder could use too.
# Only Socket and no IO::Socket: a probe runs all day long, and loading modules is most of what it costs.
use strict;
use warnings;
use Socket qw(AF_INET AF_INET6 AF_UNIX SOCK_STREAM SOCK_DGRAM inet_pton pack_sockaddr_in pack_sockaddr_in6 pack_sockaddr_un);

# HOST:PORT, [HOST]:PORT or the path of a Unix socket.
sub dial {
    my ($where, $kind) = @_;
    my ($family, $address) = (AF_UNIX, undef);
    if ($where =~ m{^/}) { $address = pack_sockaddr_un($where) }
    else {
        my ($host, $port) = $where =~ /^\[?([^\]]+?)\]?:(\d+)$/ or die "$where: neither HOST:PORT nor a path\n";
        $family = $host =~ /:/ ? AF_INET6 : AF_INET;
        my $packed = inet_pton($family, $host) or die "$host: not an address\n";
        $address = $family == AF_INET6 ? pack_sockaddr_in6($port, $packed) : pack_sockaddr_in($port, $packed);
    }
    socket my $socket, $family, $kind // SOCK_STREAM, 0 or die "$where: $!\n";
    connect $socket, $address or die "$where: $!\n";
    return $socket;
}

sub say_to {
    my ($socket, $text) = @_;
    my $sent = syswrite $socket, $text;
    die "nothing could be sent: $!\n" unless defined $sent && $sent == length $text;
    return;
}

# The body of a page.
sub http {
    my ($where, $path) = @_;
    my $socket = dial($where);
    say_to($socket, "GET $path HTTP/1.1\r\nHost: edge\r\nConnection: close\r\n\r\n");
    my $answer = do { local $/; <$socket> } // '';
    my ($head, $body) = split /\r\n\r\n/, $answer, 2;
    my ($status) = split /\r\n/, $head // '';
    die "$where$path: " . ($status // 'nothing') . "\n" unless ($status // '') =~ m{^HTTP/1\.[01] 200 };
    return $body // '' unless $head =~ /^transfer-encoding: *chunked/mi;
    my $whole = '';
    while (($body // '') =~ /\G([0-9a-f]+)[^\n]*\n/gci && hex $1) {
        $whole .= substr $body, pos $body, hex $1;
        pos($body) += 2 + hex $1;
    }
    return $whole;
}

# What Kea answers to a command, which is JSON and comes as one text.
sub kea {
    my ($where, $command) = @_;
    my $socket = dial($where);
    say_to($socket, $command);
    shutdown $socket, 1;
    my $answer = do { local $/; <$socket> } // 'nothing';
    # 3: there is nothing of what was asked for.
    die "$where: " . ($answer =~ /"text":\s*"((?:[^"\\]|\\.)*)"/ ? $1 : $answer) . "\n" unless $answer =~ /"result":\s*[03]\b/;
    return $answer;
}

# The data of the first answer to a question, and the whole message, for names inside of it.
sub dns {
    my ($where, $name, $type, $class) = @_;
    my $socket = dial($where, SOCK_DGRAM);
    my $question = join('', map { pack 'C/a', $_ } grep { $_ ne '' } split /\./, $name) . "\0" . pack 'nn', $type, $class;
    send $socket, pack('n6', 1, 0x0100, 1, 0, 0, 0) . $question, 0;
    defined recv $socket, my $answer, 4096, 0 or die "$where: no answer about $name: $!\n";
    my (undef, $flags, undef, $count) = unpack 'n4', $answer;
    die "$where: answers $name with code " . ($flags & 15) . "\n" if $flags & 15 || $count == 0;
    my $at = after_name($answer, 12 + length $question);
    my $size = unpack 'n', substr $answer, $at + 8, 2;
    return ($answer, $at + 10, $size);
}

# Where a name in a message ends: at its root, or at the pointer to where it goes on.
sub after_name {
    my ($message, $at) = @_;
    while ((my $length = ord substr $message, $at, 1) != 0) {
        return $at + 2 if $length >= 192;
        $at += $length + 1;
    }
    return $at + 1;
}

sub text_of {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    return do { local $/; <$in> } // '';
}

# A daemon that does not answer is as bad as one that is not there.
$SIG{ALRM} = sub { die "no answer in time\n" };
alarm 4;

1;
