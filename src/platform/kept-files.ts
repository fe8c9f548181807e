export interface FileBytes {
  bytes: Uint8Array
}

/**
 * Reads files through a memory that holds at most `capacity` bytes of those used last. Concurrent callers share one
 * reading; that a file is missing is not kept.
 */
export function keptFiles<File extends FileBytes>(
  read: (name: string) => Promise<File | undefined>,
  capacity: number,
): (name: string) => Promise<File | undefined> {
  /** In the order of their last use. */
  const kept = new Map<string, File>()
  const underWay = new Map<string, Promise<File | undefined>>()
  let size = 0

  function keep(name: string, file: File): void {
    kept.set(name, file)
    size += file.bytes.length
    for (const [oldest, { bytes }] of kept) {
      if (size <= capacity) break
      kept.delete(oldest)
      size -= bytes.length
    }
  }

  function readOnce(name: string): Promise<File | undefined> {
    const running = underWay.get(name)
    if (running) return running
    const reading = read(name)
      .then((file) => {
        if (file) keep(name, file)
        return file
      })
      .finally(() => underWay.delete(name))
    underWay.set(name, reading)
    return reading
  }

  return async (name) => {
    const found = kept.get(name)
    if (!found) return await readOnce(name)
    kept.delete(name)
    kept.set(name, found)
    return found
  }
}
