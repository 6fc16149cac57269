import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The condition that keeps lost attempts from completing, in every statement of a claim's holder. */
const fence = "where id = :id and status = 'running' and attempt = :attempt"

/**
 * Makes a copy of the checkout in which the store lets lost attempts complete, to see that the checker notices.
 *
 * @throws {Error} when the fence is not found, because then this test has outlived the code it tests.
 */
export async function buildWithoutFence({ root, target }: { readonly root: string; readonly target: string }): Promise<void> {
  await mkdir(target, { recursive: true })
  await cp(join(root, 'src'), join(target, 'src'), { recursive: true })
  for (const name of ['models', 'node_modules', 'package.json', 'dist']) await symlink(join(root, name), join(target, name)).catch(() => {})
  await replace(join(target, 'src/storage/sqlite/queue/hold.ts'), fence, 'where id = :id')
  await replace(
    join(target, 'src/storage/sqlite/schema/migrations.ts'),
    "when old.status = 'completed' begin",
    "when old.status = 'never' begin",
  )
}

async function replace(path: string, text: string, replacement: string): Promise<void> {
  const source = await readFile(path, 'utf8')
  if (!source.includes(text)) throw new Error(`${path} does not hold "${text}".`)
  await writeFile(path, source.replaceAll(text, replacement))
}
