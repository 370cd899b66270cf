# handle.pl PORT UID make NAME TEXT   makes a file through NFS version 3 over TCP, writes TEXT to it, prints its handle
# handle.pl PORT UID read HANDLE      prints what the file of that handle holds
# As uid and gid UID, at 127.0.0.1, export /. What the server refuses ends it with status 1 and the NFS status on
# stderr.
use strict;
use warnings;
use IO::Socket::INET;

my ($port, $uid, $command, @words) = @ARGV;
my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 10) or die "cannot connect: $!\n";
my $xid = time;
$SIG{ALRM} = sub { die "no answer in 60 s\n" };

sub opaque { return pack('N/a* x!4', $_[0]) }

sub take {
  my ($count, $bytes) = ($_[0], '');
  while (length $bytes < $count) {
    sysread($socket, $bytes, $count - length $bytes, length $bytes) or die "the connection ended\n";
  }
  return $bytes;
}

# The results of a call, behind the status of NFS, which has to be 0.
sub call {
  my ($program, $procedure, $arguments) = @_;
  my $credential = pack('N', 0) . opaque('lab') . pack('N3', $uid, $uid, 0);
  my $message = pack('N6 N', ++$xid, 0, 2, $program, 3, $procedure, 1) . opaque($credential) . pack('N2', 0, 0) . $arguments;
  alarm 60;
  print $socket pack('N', 0x80000000 | length $message) . $message;
  $socket->flush;
  my $reply = take(unpack('N', take(4)) & 0x7fffffff);
  my ($its_xid, $direction, $accepted, $flavor, $length, $success) = unpack('N6', $reply);
  die "no reply to the call\n" unless $its_xid == $xid && $direction == 1 && $accepted == 0 && $length == 0 && $success == 0;
  my $status = unpack('N', substr($reply, 24));
  die "NFS status $status\n" if $status;
  return substr($reply, 28);
}

sub handle_in { return unpack('N/a', $_[0]) }

if ($command eq 'make') {
  my ($name, $text) = @words;
  my $root = handle_in(call(100005, 1, opaque('/')));
  # UNCHECKED, mode 0600 and nothing else set
  my $made = call(100003, 8, opaque($root) . opaque($name) . pack('N*', 0, 1, 0600, 0, 0, 0, 0, 0));
  die "no handle of what was made\n" unless unpack('N', $made);
  my $handle = handle_in(substr($made, 4));
  # FILE_SYNC
  call(100003, 7, opaque($handle) . pack('N*', 0, 0, length $text, 2) . opaque($text));
  print unpack('H*', $handle), "\n";
} elsif ($command eq 'read') {
  my $result = call(100003, 6, opaque(pack('H*', $words[0])) . pack('N*', 0, 0, 4096));
  my $data = substr($result, (unpack('N', $result) ? 88 : 4) + 8);
  print unpack('N/a', $data), "\n";
} else {
  die "no command $command\n";
}
