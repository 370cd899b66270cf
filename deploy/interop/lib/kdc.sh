# Sourced by run. Keeps a Kerberos realm, LAB.TEST, for the runs that want one: a KDC beside the tap, keytabs for the
# server and the client, and users. Debian's KDC is unpacked in out/krb5, not installed. $directory/krb has the realm.
# shellcheck shell=bash disable=SC2154

kdc_id='' kdc_starts=0
# The life of a ticket for the server. A context ends with its ticket, so a longer load has to renew it.
kdc_life=45

kdc_environment() {
  export KRB5_CONFIG=$directory/krb/krb5.conf KRB5_KDC_PROFILE=$directory/krb/kdc.conf
  export LD_LIBRARY_PATH=$here/out/krb5/usr/lib/x86_64-linux-gnu:$here/out/krb5/lib/x86_64-linux-gnu
}

kadmin() { (kdc_environment; "$here/out/krb5/usr/sbin/kadmin.local" -r LAB.TEST -q "$1") >>"$directory/krb/kadmin.log" 2>&1; }

# kdc_prepare SERVER_ADDRESS: makes the realm, with server.lab at that address, client.lab and client2.lab
kdc_prepare() {
  local name directory_of_realm=$directory/krb
  mkdir -p "$directory_of_realm/client" "$directory_of_realm/server"
  cat >"$directory_of_realm/krb5.conf" <<EOF
[libdefaults]
 default_realm = LAB.TEST
 dns_lookup_kdc = false
 dns_lookup_realm = false
 dns_canonicalize_hostname = false
 rdns = false
 udp_preference_limit = 1
[realms]
 LAB.TEST = {
  kdc = 10.8.0.1
 }
[domain_realm]
 .lab = LAB.TEST
 lab = LAB.TEST
EOF
  cat >"$directory_of_realm/kdc.conf" <<EOF
[kdcdefaults]
 kdc_listen = 10.8.0.1:88
 kdc_tcp_listen = 10.8.0.1:88
[realms]
 LAB.TEST = {
  database_module = file
  key_stash_file = $directory_of_realm/stash
  acl_file = $directory_of_realm/acl
  max_life = 10h
  supported_enctypes = aes256-cts-hmac-sha384-192:normal aes128-cts-hmac-sha256-128:normal aes256-cts-hmac-sha1-96:normal aes128-cts-hmac-sha1-96:normal
 }
[dbmodules]
 db_module_dir = $here/out/krb5/usr/lib/x86_64-linux-gnu/krb5/plugins/kdb
 file = {
  db_library = db2
  database_name = $directory_of_realm/principal
 }
[logging]
 kdc = FILE:$directory_of_realm/kdc.log
EOF
  : >"$directory_of_realm/acl"
  (kdc_environment; "$here/out/krb5/usr/sbin/kdb5_util" -r LAB.TEST -P master create -s) >"$directory_of_realm/kadmin.log" 2>&1 ||
    { tail -n 1 "$directory_of_realm/kadmin.log"; return 1; }
  kadmin "addprinc -randkey -maxlife ${kdc_life}sec nfs/server.lab"
  kadmin "ktadd -k $directory_of_realm/server/keytab nfs/server.lab"
  for name in client client2; do
    kadmin "addprinc -randkey host/$name.lab"
    kadmin "ktadd -k $directory_of_realm/client/keytab host/$name.lab"
  done
  for name in user other; do
    kadmin "addprinc -pw $name $name"
    kadmin "ktadd -norandkey -k $directory_of_realm/client/users.keytab $name"
  done
  for name in client server; do
    cp "$directory_of_realm/krb5.conf" "$directory_of_realm/$name/"
    printf '%s\n' '127.0.0.1 localhost' "$1 server.lab" '10.8.0.2 client.lab' >"$directory_of_realm/$name/hosts"
  done
  chmod 644 "$directory_of_realm/client"/* "$directory_of_realm/server"/*
  [ -s "$directory_of_realm/server/keytab" ] && [ -s "$directory_of_realm/client/users.keytab" ] ||
    { echo "the realm cannot be made: $(tail -n 1 "$directory_of_realm/kadmin.log")"; return 1; }
}

kdc_listens() { ss -l -t -n -H 'sport = :88' | grep -q .; }

# kdc_start: starts the KDC; prints what is wrong
kdc_start() {
  local log=$directory/krb/kdc.out
  start kdc env KRB5_CONFIG="$directory/krb/krb5.conf" KRB5_KDC_PROFILE="$directory/krb/kdc.conf" \
    LD_LIBRARY_PATH="$here/out/krb5/usr/lib/x86_64-linux-gnu:$here/out/krb5/lib/x86_64-linux-gnu" \
    "$here/out/krb5/usr/sbin/krb5kdc" -n -r LAB.TEST >>"$log" 2>&1
  kdc_id=$id
  until_true 20 kdc_listens || { echo "the KDC does not listen: $(tail -n 1 "$log")"; return 1; }
}

kdc_stop() {
  [ -n "$kdc_id" ] || return 0
  stop "$kdc_id" || true
  kdc_id=''
}

# kdc_tickets: how many tickets for the server the KDC has given out
kdc_tickets() { grep -c 'TGS_REQ.*ISSUE:.* for nfs/server\.lab@LAB\.TEST' "$directory/krb/kdc.log" || true; }
