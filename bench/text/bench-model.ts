import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServerShape } from './chat-server.ts'

const builtIn = fileURLToPath(new URL('../../models/', import.meta.url))

/** A text model to measure, as both servers know it. */
export type BenchModel = Pick<ServerShape, 'models' | 'model' | 'file' | 'context'>

/** The built-in chat models, and every text model of the folder that BENCH_MODELS names; of these the one that MODEL names, where it does. */
export async function listBenchModels(): Promise<readonly BenchModel[]> {
  const { BENCH_MODELS: folder, MODEL: wanted } = process.env
  const found = await Promise.all(['sepia-mini-chat', 'smollm2-135m-instruct'].map((name) => describe(join(builtIn, name), null)))
  if (folder !== undefined) for (const name of await readdir(folder)) found.push(await describe(join(folder, name), folder))
  return found.filter((model) => model !== null).filter(({ model }) => wanted === undefined || model === wanted)
}

async function describe(folder: string, models: string | null): Promise<BenchModel | null> {
  const { id, kind, file, contextLength } = JSON.parse(await readFile(join(folder, 'model.json'), 'utf8'))
  if (kind !== 'text') return null
  return { models, model: id ?? basename(dirname(folder)), file: join(folder, file), context: contextLength ?? 2048 }
}
