import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** One build of llama.cpp, as bench/text/build-llama-server.sh makes it. */
export interface LlamaBuild {
  readonly name: string
  readonly server: string
  readonly bench: string
}

/** Every build in the folder that LLAMA_BUILDS names. */
export function listLlamaBuilds(): readonly LlamaBuild[] {
  const folder = process.env.LLAMA_BUILDS
  if (folder === undefined) throw new Error('Set LLAMA_BUILDS to the folder that bench/text/build-llama-server.sh prints.')
  return readdirSync(folder)
    .map((name) => ({ name, server: join(folder, name, 'llama-server'), bench: join(folder, name, 'llama-bench') }))
    .filter(({ server }) => existsSync(server))
}

/**
 * The build on the libraries that we compute with: a build for this very processor has other kernels, which add in another order, and the greedy
 * answers of a model at 4 bits part at close calls. Undefined where LLAMA_BUILDS names no folder with it.
 */
export function findSameKernels(): LlamaBuild | undefined {
  return process.env.LLAMA_BUILDS === undefined ? undefined : listLlamaBuilds().find(({ name }) => name === 'variants')
}

/** Tokens a second of llama-bench's bare decode, without prompt, sampling, text or HTTP: what no server reaches. */
export async function measureBareDecode(
  { bench }: LlamaBuild,
  { file, threads, tokens }: { readonly file: string; readonly threads: number; readonly tokens: number },
): Promise<number> {
  const flags = ['-m', file, '-t', String(threads), '-p', '0', '-n', String(tokens), '-r', '1', '-o', 'json']
  const { stdout } = await promisify(execFile)(bench, flags)
  const [result] = JSON.parse(stdout)
  return result.avg_ts
}
