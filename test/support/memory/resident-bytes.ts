import { readFile } from 'node:fs/promises'

/** Bytes of a mapped file in the memory of this process, on Linux. @param kind `Anonymous` = only pages that the process has written. */
export async function residentBytes(path: string, kind: 'Rss' | 'Anonymous' = 'Rss'): Promise<number> {
  const mappings = (await readFile('/proc/self/smaps', 'utf8')).split(/^(?=[0-9a-f]+-[0-9a-f]+ )/mu)
  const own = mappings.filter((each) => each.split('\n', 1)[0]?.endsWith(` ${path}`))
  return own.reduce((sum, each) => sum + Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'mu').exec(each)?.[1]) * 1024, 0)
}
