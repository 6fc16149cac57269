import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { withMiniModels } from '../support/mini-chat.ts'
import type { ClientTarget } from './client-target.ts'

/** The whole service as its own process, with the built-in models and a data folder of its own. @param more Further flags. */
export async function startRealTarget(more: readonly string[] = []): Promise<ClientTarget> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-clients-'))
  const flags = ['serve', '--port', '0', '--data', folder, '--log', 'json', ...withMiniModels(more)]
  const child = spawn(process.execPath, ['src/bin.ts', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  let token = ''
  let url: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    token = /sepia_[0-9A-Za-z]+/.exec(line)?.[0] ?? token
    url = /^ready (http:\S+)/.exec(line)?.[1]
    if (url !== undefined) break
  }
  if (url === undefined) throw new Error('The service ended before it was ready')
  return {
    url,
    token,
    chatModel: 'sepia-mini-chat',
    imageModel: 'sepia-mini-image',
    question: 'What is the capital of France?',
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      await rm(folder, { recursive: true })
    },
  }
}
