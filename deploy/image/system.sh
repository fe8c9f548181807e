#!/bin/sh
# Containerfile runs it in a Debian: copies into the folder $1 what Node needs of that system and nothing else, which is the
# C and C++ libraries with their licences, and the records by which scanners know their versions.
set -eu
root=$1
compiler=$(dpkg-query --show --showformat '${Package}\n' 'gcc-*-base')
mkdir -p "$root/usr/lib" "$root/usr/lib64" "$root/var/lib/dpkg/status.d" "$root/etc"
ln -s usr/lib "$root/lib"
ln -s usr/lib64 "$root/lib64"

for package in libc6 libgcc-s1 libstdc++6 $compiler; do
  dpkg-query --status "$package" > "$root/var/lib/dpkg/status.d/$package"
  dpkg-query --listfiles "$package" | while read -r file; do
    # Neither manuals nor translations, helpers of debuggers, and converters of character sets, which Node does itself.
    case $file in
    /usr/share/doc/*/copyright) ;;
    /usr/share/* | /etc/* | */gconv/* | */audit/*) continue ;;
    esac
    if [ -d "$file" ] || [ ! -e "$file" ]; then continue; fi
    folder=$(realpath "$(dirname "$file")")
    mkdir -p "$root$folder"
    cp --archive "$folder/$(basename "$file")" "$root$folder/"
  done
done

cp --dereference /etc/os-release "$root/etc/os-release"
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
printf '%s\n' 'root:x:0:0:root:/:/nologin' 'volant:x:999:999:volant:/data:/nologin' > "$root/etc/passwd"
printf '%s\n' 'root:x:0:' 'volant:x:999:' > "$root/etc/group"
mkdir -m 0700 "$root/data"
chown 999:999 "$root/data"
mkdir -m 1777 "$root/tmp"
