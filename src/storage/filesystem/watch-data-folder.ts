import { stat } from 'node:fs/promises'

/** Resolves to a look whether the data folder or one of the files that stay there, of which these are taken note, is gone or another lies in its place. */
export async function watchDataFolder(folder: string, files: readonly string[] = []): Promise<() => Promise<boolean>> {
  const identify = async (path: string): Promise<string | null> => {
    const found = await stat(path, { bigint: true }).catch(() => null)
    return found === null ? null : `${found.dev} ${found.ino}`
  }
  const identifyAll = async () => (await Promise.all([folder, ...files].map(identify))).join()
  const own = await identifyAll()
  return async () => (await identifyAll()) !== own
}
