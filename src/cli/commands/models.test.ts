import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { miniChat } from '../../../test/support/mini-chat.ts'
import { runCommandLine as run } from '../../../test/support/run-command-line.ts'
import type { PullPlan } from '../../core/model-pull.ts'
import type { CliBackend } from '../cli-backend.ts'

const plan: PullPlan = {
  id: 'tiny',
  license: null,
  bytes: 3 * 1024 ** 2,
  freeBytes: 1024 ** 3,
  notes: ['It is a GGUF file.'],
  files: { 'model.gguf': { bytes: 3 * 1024 ** 2, sha256: 'aa' }, 'model.json': { bytes: 12, sha256: 'bb' } },
}

describe('model list', () => {
  it('lists the installed models, or explains how to fetch one if there is none', async () => {
    const encoder = { ...miniChat, id: 'encoder', generates: false }
    const models = [{ ...miniChat, folder: '/m/mini' }, encoder, { ...encoder, id: 'judge', ranks: true }]
    const { out } = await run(['model', 'list'], { backend: { listModels: async () => models } })
    assert.match(out, /^sepia-mini-chat +text +8 MB +Apache-2\.0 +\/m\/mini$/m)
    assert.match(out, /^encoder +embedding +.*\njudge +rerank /m)
    assert.equal((await run(['model', 'list'])).out, 'There are no models; pull one with: sepia model pull <source>\n')
    assert.deepEqual(JSON.parse((await run(['model', 'list', '--json'])).out), { models: [] })
  })
})

describe('model pull', () => {
  const pulling = { pullModel: async () => ({ ...miniChat, id: 'tiny', bytes: 2048, folder: '/data/models/tiny' }) }

  it('reports the installed model as a sentence and as JSON', async () => {
    assert.equal(
      (await run(['model', 'pull', 'hf:a/b'], { backend: pulling })).out,
      'Installed tiny (2 kB); a running service offers it in a few seconds.\n',
    )
    const { out } = await run(['model', 'pull', 'hf:a/b', '--json'], { backend: pulling })
    assert.deepEqual(JSON.parse(out), { id: 'tiny', bytes: 2048, folder: '/data/models/tiny' })
  })

  it('hands the source on as it was written', async () => {
    const requested: string[] = []
    const backend = {
      pullModel: async (_config: unknown, source: string) => {
        requested.push(source)
        return miniChat
      },
    }
    for (const source of ['hf:a/b@main:Q4_K_M', 'https://x.example/m?x=1#y', '/m/with space', '../m'])
      await run(['model', 'pull', source], { backend })
    assert.deepEqual(requested, ['hf:a/b@main:Q4_K_M', 'https://x.example/m?x=1#y', '/m/with space', '../m'])
  })

  it('prints the plan on standard error, so that standard output contains only the result', async () => {
    const backend = {
      pullModel: async (_config: unknown, _source: string, { onPlan }: { readonly onPlan?: (plan: PullPlan) => void }) => {
        onPlan?.(plan)
        return miniChat
      },
    }
    const { out, err } = await run(['model', 'pull', 'hf:a/b'], { backend })
    assert.equal(err, 'tiny (3.1 MB), licence: not stated\nIt is a GGUF file.\n')
    assert.doesNotMatch(out, /licence/)
  })

  it('fetches nothing in a dry run, and lists the files with their sizes', async () => {
    const { code, out } = await run(['model', 'pull', 'hf:a/b', '--dry-run'], { backend: { planPull: async () => plan } })
    assert.equal(code, 0)
    assert.match(out, /^tiny \(3\.1 MB\), licence: not stated$/m)
    assert.match(out, /^model\.gguf +3\.1 MB$/m)
    assert.match(out, /^1\.1 GB are free in /m)
    assert.doesNotMatch(out, /not enough/)
  })

  it('reports in a dry run that there is not enough space', async () => {
    for (const [freeBytes, enough] of [
      [plan.bytes - 1, false],
      [plan.bytes, true],
    ] as const) {
      const { out } = await run(['model', 'pull', 'x', '--dry-run'], { backend: { planPull: async () => ({ ...plan, freeBytes }) } })
      assert.equal(/which is not enough/.test(out), !enough)
    }
  })

  it('texts from a hub can neither add lines nor move the cursor', async () => {
    const hostile = { ...plan, license: 'mit\nInstalled tiny', notes: ['a\u001b[1A\u001b[2Kb'] }
    const { out } = await run(['model', 'pull', 'x', '--dry-run'], { backend: { planPull: async () => hostile } })
    assert.doesNotMatch(out, /^Installed/m)
    assert.ok(!out.includes('\u001b'))
  })
})

describe('model search', () => {
  const found = [
    { source: 'hf:a/b', downloads: 12, license: 'mit', gated: false },
    { source: 'hf:c/d', downloads: 0, license: null, gated: true },
  ]

  it('lists the results and the command to run next', async () => {
    const requested: string[] = []
    const searchModels: CliBackend['searchModels'] = async (_config, words) => {
      requested.push(words)
      return found
    }
    const { out } = await run(['model', 'search', 'qwen2.5', '7b', 'instruct'], { backend: { searchModels } })
    assert.deepEqual(requested, ['qwen2.5 7b instruct'])
    assert.match(out, /^hf:a\/b +12 +mit$/m)
    assert.match(out, /^hf:c\/d +0 +yes$/m)
    assert.match(out, /\n\nPull one with: sepia model pull <source>\n$/)
  })

  it('reports that nothing was found', async () => {
    assert.match((await run(['model', 'search', 'zzz'], { backend: { searchModels: async () => [] } })).out, /try fewer/)
  })
})

describe('model remove', () => {
  const backend = (removed: string[]) => ({
    findRemovableModel: async () => ({ ...miniChat, folder: '/data/models/mini', bytes: 1024 }),
    removeModel: async ({ folder }: { readonly folder: string }) => void removed.push(folder),
  })

  it('shows the folder and its size, and deletes it only after a yes', async () => {
    for (const [answer, expected] of [
      ['y', ['/data/models/mini']],
      ['n', []],
      ['', []],
    ] as const) {
      const removed: string[] = []
      const { questions } = await run(['model', 'remove', 'sepia-mini-chat'], { answer, backend: backend(removed) })
      assert.deepEqual(questions, ['This deletes /data/models/mini (1 kB). Continue? [y/N] '])
      assert.deepEqual(removed, expected)
    }
  })

  it('deletes without asking in a script, because the model can be pulled again', async () => {
    const removed: string[] = []
    const { out } = await run(['model', 'remove', 'sepia-mini-chat'], { backend: backend(removed) })
    assert.equal(out, 'Removed sepia-mini-chat.\n')
    assert.deepEqual(removed, ['/data/models/mini'])
  })

  it('deletes nothing when the model may not be removed', async () => {
    const removed: string[] = []
    const refused = {
      ...backend(removed),
      findRemovableModel: async (): Promise<never> => {
        throw new Error('It is built in.')
      },
    }
    const { code, err } = await run(['model', 'remove', 'sepia-mini-chat', '--yes'], { backend: refused })
    assert.deepEqual([code, err, removed], [1, 'It is built in.\n', []])
  })
})

describe('model suggestions', () => {
  it('shows the size, memory and licence of each, and which ones fit into memory', async () => {
    const { out } = await run(['model', 'suggestions', '--memory', '6gb'])
    assert.match(out, /^hf:ggml-org\/SmolLM3-3B-GGUF +text +1\.9 GB +3 GB +yes +apache-2\.0$/m)
    assert.match(out, /^hf:Qwen\/Qwen3-14B-GGUF +text +9 GB +14 GB +no +apache-2\.0$/m)
    const { models } = JSON.parse((await run(['model', 'suggestions', '--memory', '64gb', '--json'])).out)
    assert.ok(models.length >= 6 && models.every(({ fits }: { fits: boolean }) => fits))
  })
})
