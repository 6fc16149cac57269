import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The conditions under which alone a held inference ends, and their absence. */
const fences = [
  ['src/storage/postgres/queue/finish.ts', 'queue.running and queue.attempt = input.held_attempt end', 'queue.running end'],
  ['src/storage/postgres/queue/hold.ts', 'queue.running and queue.attempt = hold.attempt', 'queue.running'],
  ['src/storage/postgres/queue/hold.ts', 'id = :id and running and attempt = :attempt', 'id = :id and running'],
] as const

/**
 * Makes a copy of the checkout whose store lets lost attempts complete, to see that the checker notices.
 *
 * @throws {Error} when a fence is not found, because then this test has outlived the code it tests.
 */
export async function buildPostgresWithoutFence({ root, target }: { readonly root: string; readonly target: string }): Promise<void> {
  await mkdir(target, { recursive: true })
  await cp(join(root, 'src'), join(target, 'src'), { recursive: true })
  for (const name of ['node_modules', 'package.json', 'models', 'dist']) await symlink(join(root, name), join(target, name))
  for (const [file, fence, without] of fences) {
    const path = join(target, file)
    const source = await readFile(path, 'utf8')
    if (!source.includes(fence)) throw new Error(`${path} does not hold "${fence}".`)
    await writeFile(path, source.replaceAll(fence, without))
  }
}
