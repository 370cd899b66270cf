# Sourced by run. Makes the certificates of a run with TLS, in $directory/tls: an authority and what it signs for the
# server and the client, and what must not be believed: an expired certificate and one of another authority. tlshd comes
# from trixie (out/tlshd) and runs in the guest by the loader beside it.
# shellcheck shell=bash disable=SC2154

# certificate AUTHORITY NAME WORDS DAYS...: signs NAME for the names in WORDS; DAYS are options of openssl that say when
certificate() {
  local authority=$1 name=$2 names=$3
  shift 3
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$name.key" -out "$name.csr" -subj "/CN=$name.lab"
  openssl x509 -req -in "$name.csr" -CA "$authority.pem" -CAkey "$authority.key" -CAcreateserial "$@" -out "$name.pem" \
    -extfile <(printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\nkeyUsage=digitalSignature\n' "$names")
}

authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.pem" -days 3650 -subj "/CN=$1 of the lab" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=keyCertSign,cRLSign
}

# tlshd_configuration ROLE NAME: has tlshd present the certificate NAME, or none, and believe the lab's authority
tlshd_configuration() {
  printf '[debug]\nloglevel=1\ntls=1\nnl=0\n[authenticate]\n[authenticate.%s]\nx509.truststore= /tmp/tls/ca.pem\n' "$1"
  [ "$2" = none ] || printf 'x509.certificate= /tmp/tls/%s.pem\nx509.private_key= /tmp/tls/%s.key\n' "$2" "$2"
}

# certificates_prepare SERVER_ADDRESS
certificates_prepare() {
  local name
  mkdir -p "$directory/tls"
  (
    set -e
    cd "$directory/tls"
    authority ca
    authority strangers
    certificate ca server "DNS:server.lab,IP:$1" -days 3650
    certificate ca client DNS:client.lab,IP:10.8.0.2 -days 3650
    certificate strangers wrong DNS:client.lab,IP:10.8.0.2 -days 3650
    certificate ca expired DNS:client.lab,IP:10.8.0.2 -days 3650
    expire expired
  ) >"$directory/tls.log" 2>&1 || { echo "no certificates, see $directory/tls.log"; return 1; }
  for name in client wrong expired none; do tlshd_configuration client $name >"$directory/tls/$name.conf"; done
  tlshd_configuration server server >"$directory/tls/server.conf"
  printf '%s\n' '127.0.0.1 localhost' "$1 server.lab" '10.8.0.2 client.lab' >"$directory/tls/hosts"
  chmod 600 "$directory/tls"/*.key
}

# expire NAME: signs it again, for January 2020; unlike `openssl x509`, `openssl ca` can say when a certificate begins
expire() {
  mkdir -p issued
  : >issued/index
  echo 01 >issued/serial
  printf '[ca]\ndefault_ca=lab\n[lab]\ndatabase=issued/index\nserial=issued/serial\nnew_certs_dir=issued\ndefault_md=sha256\npolicy=any\n[any]\ncommonName=supplied\n' >issued/conf
  openssl ca -batch -config issued/conf -cert ca.pem -keyfile ca.key -in "$1.csr" -out "$1.pem" -notext \
    -startdate 20200101000000Z -enddate 20200201000000Z \
    -extfile <(printf 'subjectAltName=DNS:client.lab,IP:10.8.0.2\nextendedKeyUsage=serverAuth,clientAuth\nkeyUsage=digitalSignature\n')
}

# tls_share DIRECTORY: what a guest needs for tlshd
tls_share() {
  cp -r "$directory/tls" "$1/tls"
  cp -r "$here/out/tlshd" "$1/tls/tlshd"
}
