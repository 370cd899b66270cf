# Sourced by ./verify and ./warpnfs: sets JAVA_HOME to a JDK 25 or later and checks for Maven, or says what is missing.
# Looks at JAVA_HOME, then PATH, then /usr/lib/jvm.

WARPNFS_JAVA=25

# Prints the feature release of the JDK (not JRE) at $1, or nothing. The JDK's own file says it; a JDK without that file
# is asked, which starts it and takes a second.
jdk_release() {
  [ -x "$1/bin/javac" ] || return 0
  local version
  version=$(sed -n 's/^JAVA_VERSION="\([0-9][0-9]*\).*/\1/p' "$1/release" 2>/dev/null || true)
  # A JDK that takes options from the environment says so in a line of its own, first.
  [ -n "$version" ] || version=$("$1/bin/javac" -version 2>&1 | sed -n 's/^javac \([0-9][0-9]*\).*/\1/p' || true)
  echo "$version"
}

find_jdk() {
  local candidate release javac seen=
  javac=$(command -v javac || true)
  for candidate in "${JAVA_HOME:-}" "${javac:+$(dirname "$(dirname "$(readlink -f "$javac")")")}" /usr/lib/jvm/*; do
    [ -n "$candidate" ] && [ -d "$candidate" ] || continue
    release=$(jdk_release "$candidate")
    [ -n "$release" ] || continue
    if [ "$release" -ge $WARPNFS_JAVA ]; then
      export JAVA_HOME=$candidate
      return 0
    fi
    seen="$seen $candidate ($release)"
  done
  echo "warpnfs needs a JDK $WARPNFS_JAVA or later: none at JAVA_HOME, on the PATH or in /usr/lib/jvm${seen:+; found only$seen}" >&2
  return 1
}

find_maven() {
  if command -v mvn >/dev/null; then
    # Maven's own libraries use what newer JDKs warn of; that is no news to whoever builds.
    export MAVEN_OPTS="${MAVEN_OPTS:-} --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED"
    return 0
  fi
  echo "warpnfs is built by Maven 3.8.7 or later: there is no mvn on the PATH (Debian: apt install maven)" >&2
  return 1
}
