# Sourced by build. Guests with kernels that Debian 12 itself does not have, and the programs for them:
#   6.12  the newest kernel of bookworm-backports
#   7.3   the newest kernel of trixie-backports, whose siw is compiled by trixie's gcc in a directory of its own
# Packages come through apt with a state of its own, and are unpacked, not installed. The userland is the one of 6.1
# (root.img); the modules come with the initrd. The results are out/KERNEL/{vmlinux,initrd.cpio,release}.
# shellcheck shell=bash disable=SC2154

newer_suite() {
  case $1 in
    6.12) echo bookworm-backports ;;
    7.3) echo trixie-backports ;;
  esac
}

newer_modules=(tls nfs_layout_flexfiles rpcsec_gss_krb5 cts cbc ctr gcm hmac cmac camellia_generic authenc krb5enc krb5 sha1_generic sha256_generic sha512_generic
  sha1-generic sha256-generic sha512-generic aesni_intel)

# other_apt COMMAND...: runs it with the other suites as apt's only sources, and a state in debs/apt
other_apt() { APT_CONFIG=$PWD/debs/apt/conf "$@"; }

# The suites come from where this machine takes its own: the source is named nowhere else.
other_apt_begin() {
  local source suite key=/usr/share/keyrings/debian-archive-keyring.gpg
  ! done_with apt || return 0
  source=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' | awk '$1 ~ /^(bookworm|stable|oldstable)$/ { print $2; exit }')
  [ -n "$source" ] || give_up 'apt does not say where this machine takes bookworm from'
  mkdir -p debs/apt/{lists/partial,cache/archives/partial}
  : >debs/apt/status
  for suite in bookworm-backports trixie trixie-backports; do echo "deb [signed-by=$key] $source $suite main"; done >debs/apt/list
  grep ' trixie ' debs/apt/list >debs/apt/trixie.list
  cat >debs/apt/conf <<EOF
Dir::Etc::sourcelist "$PWD/debs/apt/list"; Dir::Etc::sourceparts "/dev/null"; Dir::Etc::preferencesparts "/dev/null";
Dir::State "$PWD/debs/apt"; Dir::State::lists "$PWD/debs/apt/lists"; Dir::State::status "$PWD/debs/apt/status";
Dir::Cache "$PWD/debs/apt/cache"; Dir::Cache::archives "$PWD/debs/apt/cache/archives";
APT::Sandbox::User "root"; Acquire::Languages "none";
EOF
  other_apt apt-get update -q >out/apt-other.log 2>&1 || give_up "apt-get update of the other suites failed, see $PWD/out/apt-other.log"
  touch out/.apt
}

# newer_packages KERNEL: the image with its modules, headers and source, all of one version, into debs/KERNEL
newer_packages() {
  local kernel=$1 suite version name base series package packages
  suite=$(newer_suite "$kernel")
  version=$(other_apt apt-cache madison linux-image-amd64 | awk -F ' *[|] *' -v suite=" $suite/" 'index($3, suite) { print $2; exit }')
  [ -n "$version" ] || give_up "there is no kernel in $suite"
  name=$(other_apt apt-cache show "linux-image-amd64=$version" | sed -n 's/^Depends:.*linux-image-\([0-9][^ ,]*\).*/\1/p' | head -1)
  base=${name%-amd64}
  series=$(cut -d. -f1,2 <<<"$version")
  case $series in "$kernel" | "$kernel"[~+-]*) ;; *) say "$suite has gone on to $version" ;; esac
  packages=("linux-image-$name" "linux-headers-$name" "linux-headers-$base-common" "linux-kbuild-$base" "linux-source-$series")
  # newer packages split the image
  for package in "linux-modules-$name" "linux-binary-$name" "linux-base-$name"; do
    ! other_apt apt-cache show "$package" >/dev/null 2>&1 || packages+=("$package")
  done
  rm -rf "debs/$kernel"
  mkdir -p "debs/$kernel" "out/$kernel"
  (cd "debs/$kernel" && APT_CONFIG=../apt/conf apt-get -q download "${packages[@]/%/=$version}" >>../../out/apt-other.log 2>&1) ||
    give_up "apt-get cannot download the kernel of $suite, see $PWD/out/apt-other.log"
  echo "$name" >"out/$kernel/release"
}

# newer_unpack KERNEL: image, modules and headers, and of the source siw alone
newer_unpack() {
  local kernel=$1 package root=out/$1/kernel
  rm -rf "$root" "out/$kernel/source"
  mkdir -p "$root" "out/$kernel/source"
  for package in "debs/$kernel"/*.deb; do
    case $package in
      */linux-source-*) dpkg --fsys-tarfile "$package" | tar -xO --wildcards './usr/src/linux-source-*.tar.xz' | xz -dc -T0 |
        tar -xC "out/$kernel/source" --strip-components=1 --wildcards 'linux-source-*/drivers/infiniband/sw/siw' ;;
      *) dpkg -x "$package" "$root" ;;
    esac
  done
  [ -d "$root/lib/modules" ] || { mkdir -p "$root/lib"; ln -s ../usr/lib/modules "$root/lib/modules"; }
}

# newer_compiler: trixie's gcc with what a module's build needs, in out/compiler
newer_compiler() {
  rm -rf out/compiler
  mkdir out/compiler
  mmdebstrap --variant=extract --mode=root --aptopt='APT::Sandbox::User "root"' --aptopt='Apt::Install-Recommends "0"' \
    --include=gcc-14,make,bash,coreutils,sed,grep,gawk,findutils,diffutils,kmod,xz-utils,libelf1t64,perl-base,dash \
    trixie - debs/apt/trixie.list 2>out/compiler.log | tar -xC out/compiler || give_up "mmdebstrap failed, see $PWD/out/compiler.log"
  ln -sf gawk out/compiler/usr/bin/awk
}

# newer_tlshd: trixie's tlshd with the libraries that it is linked against, in out/tlshd
newer_tlshd() {
  rm -rf out/tlshd
  mkdir out/tlshd
  mmdebstrap --variant=extract --mode=root --aptopt='APT::Sandbox::User "root"' --aptopt='Apt::Install-Recommends "0"' \
    --include=ktls-utils trixie - debs/apt/trixie.list 2>out/tlshd.log | tar -xC out/tlshd || give_up "mmdebstrap failed, see $PWD/out/tlshd.log"
  rm -rf out/tlshd/usr/share out/tlshd/var out/tlshd/dev
  [ -e out/tlshd/lib64 ] || ln -s usr/lib64 out/tlshd/lib64
}

# newer_siw KERNEL: compiles siw and siw_switched
newer_siw() {
  local kernel=$1 root=$PWD/out/$1/kernel source=$PWD/out/$1/source/drivers/infiniband/sw/siw name headers module
  name=$(cat "out/$kernel/release")
  headers=usr/src/linux-headers-$name
  switch_siw "$source" "$PWD/out/$kernel/source/siw_switched"
  mkdir -p "$root/lib/modules/$name/updates"
  for module in "$source" "$PWD/out/$kernel/source/siw_switched"; do
    if [ "$kernel" = 7.3 ]; then
      # shellcheck disable=SC2016 # the inner shell's
      unshare --mount bash -ec '
        root=$1 module=$2 headers=$3 compiler=$4
        mkdir -p "$compiler/usr/src" "$compiler/module"
        mount --bind "$root/usr/src" "$compiler/usr/src"
        for kbuild in "$root"/usr/lib/linux-kbuild*; do
          mkdir -p "$compiler/usr/lib/${kbuild##*/}"
          mount --bind "$kbuild" "$compiler/usr/lib/${kbuild##*/}"
        done
        mount --bind "$module" "$compiler/module"
        mount -t proc proc "$compiler/proc"
        mount -t tmpfs tmpfs "$compiler/tmp"
        exec chroot "$compiler" env -i PATH=/usr/bin:/usr/sbin HOME=/tmp LC_ALL=C \
          make -s -C "/$headers" M=/module CONFIG_RDMA_SIW=m CONFIG_DEBUG_INFO_BTF_MODULES= modules' \
        compile "$root" "$module" "$headers" "$PWD/out/compiler"
    else
      # the headers name themselves by absolute paths
      sed -i -e "s#\([ =]\)/usr/src#\1$root/usr/src#" "$root/$headers/Makefile"
      make -s -C "$root/$headers" M="$module" CONFIG_RDMA_SIW=m CONFIG_DEBUG_INFO_BTF_MODULES= modules
    fi >>"out/$kernel/siw.log" 2>&1 || give_up "siw does not compile for $kernel, see $PWD/out/$kernel/siw.log"
    strip -g "$module"/*.ko
    cp "$module"/*.ko "$root/lib/modules/$name/updates/"
  done
  depmod -b "$root" "$name"
}

# newer_image KERNEL: the ELF inside of the compressed image
newer_image() {
  local kernel=$1 name image offset
  name=$(cat "out/$kernel/release")
  image=out/$kernel/kernel/boot/vmlinuz-$name
  [ -e "$image" ] || image=out/$kernel/kernel/usr/lib/modules/$name/vmlinuz
  elf_of "$image" "out/$kernel/vmlinux"
}

# newer_initrd KERNEL: as make_initrd, but with all modules, since root.img has those of 6.1. Whether a module exists or
# is part of the kernel differs between versions.
newer_initrd() {
  local kernel=$1 root=out/$1/initrd from=$PWD/out/$1/kernel name module file target applet
  name=$(cat "out/$kernel/release")
  rm -rf "$root"
  mkdir -p "$root"/{bin,dev,proc,sys,root} "$root/lib/modules/$name"
  cp /bin/busybox "$root/bin/"
  for applet in sh mount switch_root sleep poweroff uname cp; do ln -s busybox "$root/bin/$applet"; done
  copy "$root" /bin/kmod
  ln -s kmod "$root/bin/modprobe"
  for module in "${boot_modules[@]}" "${modules[@]}" "${newer_modules[@]}"; do
    modprobe -d "$from" -S "$name" --show-depends "$module" 2>/dev/null || true
  done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u | while read -r file; do
    target=$root/lib/modules/$name/${file#*"/modules/$name/"}
    mkdir -p "${target%/*}"
    case $file in
      *.xz) xz -dc "$file" >"${target%.xz}" ;;
      *) cp "$file" "$target" ;;
    esac
  done
  for module in siw rpcrdma nfsv4 nfsd virtio_net; do
    [ -n "$(find "$root/lib/modules" -name "$module.ko" -o -name "${module//_/-}.ko")" ] || grep -q "/$module.ko" "$from/lib/modules/$name/modules.builtin" ||
      give_up "the kernel $name has no module $module"
  done
  cp "$from/lib/modules/$name"/modules.{order,builtin,builtin.modinfo} "$root/lib/modules/$name/"
  sed -i 's/\.ko\.xz$/.ko/' "$root/lib/modules/$name/modules.order"
  depmod -b "$root" "$name"
  install -m 755 guest/initrd-init "$root/init"
  (cd "$root" && find . | sort | cpio -o -H newc -R 0:0 --quiet) >"out/$kernel/initrd.cpio"
}

# build_newer KERNEL: each stage is kept, as in build
build_newer() {
  local kernel=$1 tlshd compiler
  other_apt_begin
  mkdir -p "out/$kernel"
  # beside the kernel's packages
  { done_with tlshd || { newer_tlshd; touch out/.tlshd; }; } &
  tlshd=$!
  { [ "$kernel" != 7.3 ] || done_with compiler || { newer_compiler; touch out/.compiler; }; } &
  compiler=$!
  done_with "packages-$kernel" || { newer_packages "$kernel"; touch "out/.packages-$kernel"; }
  done_with "kernel-$kernel" "out/.packages-$kernel" || { newer_unpack "$kernel"; newer_image "$kernel"; touch "out/.kernel-$kernel"; }
  wait $tlshd
  wait $compiler
  done_with "siw-$kernel" "out/.kernel-$kernel" build || { newer_siw "$kernel"; touch "out/.siw-$kernel"; }
  done_with "initrd-$kernel" "out/.siw-$kernel" build lib/newer.sh guest/initrd-init || { newer_initrd "$kernel"; touch "out/.initrd-$kernel"; }
}
