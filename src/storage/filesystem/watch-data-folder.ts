import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store } from '../../core/ports/store.ts'

/** Returns a check whether the data folder or one of its permanent `files` is missing or was replaced since this call. */
export async function watchDataFolder(folder: string, files: readonly string[] = []): Promise<() => Promise<boolean>> {
  const identify = async (path: string): Promise<string | null> => {
    const found = await stat(path, { bigint: true }).catch(() => null)
    return found === null ? null : `${found.dev} ${found.ino}`
  }
  const identifyAll = async () => (await Promise.all([folder, ...files].map(identify))).join()
  const own = await identifyAll()
  return async () => (await identifyAll()) !== own
}

/** Approximate size of storing a request: its row, and space in the write-ahead log. */
const probeBytes = 64 * 1024

/** Lifetime of a result of {@link watchStorage}: probes need no token, and each check writes. */
const freshMs = 2000

/**
 * Returns a check why nothing can be stored in the data folder, as the end of a sentence; null = it can.
 *
 * @param store.owesUsage Whether usage waits to be recorded; absent = none ever waits.
 * @param more.files Permanent files, as for {@link watchDataFolder}.
 * @param more.inside Names of folders in it that must be writable too, where they exist.
 */
export async function watchStorage(
  folder: string,
  { clock, isDamaged, owesUsage }: Pick<Store, 'clock' | 'isDamaged'> & { readonly owesUsage?: () => boolean },
  { files = [], inside = [] }: { readonly files?: readonly string[]; readonly inside?: readonly string[] } = {},
): Promise<() => Promise<string | null>> {
  const isGone = await watchDataFolder(folder, files)
  let last: { readonly at: number; readonly fault: Promise<string | null> } | undefined
  return async () => {
    if (await isGone()) return 'or its contents are missing; restore them, or start the service again'
    if (isDamaged?.()) return 'holds a damaged database; its operator can run `sepia doctor` and restore a backup'
    if (last === undefined || clock.now() - last.at >= freshMs) last = { at: clock.now(), fault: findStorageFault(folder, inside) }
    return (await last.fault) ?? (owesUsage?.() ? 'cannot store the usage of earlier requests; the log has the cause' : null)
  }
}

async function findStorageFault(folder: string, inside: readonly string[]): Promise<string | null> {
  const faults = await Promise.all(['', ...inside].map((name) => probe(join(folder, name), name)))
  return faults.find((fault) => fault !== null) ?? null
}

async function probe(folder: string, name: string): Promise<string | null> {
  const where = name === '' ? '' : ` in its folder ${name}`
  const file = join(folder, '.probe')
  try {
    await using written = await open(file, 'w', 0o600)
    await written.write(Buffer.alloc(probeBytes))
    await written.sync()
    return null
  } catch (error) {
    const { code }: NodeJS.ErrnoException = Object(error)
    // A folder that was deleted in the data folder is created again with the next file in it.
    if (code === 'ENOENT' && name !== '') return null
    return code === 'ENOSPC' || code === 'EDQUOT'
      ? `is full${where}; free space on its disk`
      : `cannot be written${where}; correct its permissions or its disk`
  } finally {
    await rm(file, { force: true }).catch(() => {})
  }
}
