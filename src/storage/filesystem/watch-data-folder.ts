import { stat } from 'node:fs/promises'

/** Resolves to a look whether the data folder, of which this one is taken note, is gone or another lies in its place. */
export async function watchDataFolder(folder: string): Promise<() => Promise<boolean>> {
  const identify = async (): Promise<string | null> => {
    const found = await stat(folder, { bigint: true }).catch(() => null)
    return found === null ? null : `${found.dev} ${found.ino}`
  }
  const own = await identify()
  return async () => (await identify()) !== own
}
