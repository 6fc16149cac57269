import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { unpackGoldenCheckpoints } from '../../../../../test/support/model-files/golden-checkpoints.ts'
import { type StoredTensor, storedFile } from '../../../../../test/support/model-files/safetensors-file.ts'
import { createTemporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { readEmbedding } from '../embeddings/read-embedding.ts'
import { readCheckpoint } from '../parts/read-checkpoint.ts'
import { loraTargets } from './lora-modules.ts'
import { changedBranches, mixLoras } from './mix-loras.ts'
import { readLora } from './read-lora.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
await unpackGoldenCheckpoints(temporary.path, (path) => path === 'xl.safetensors')
const checkpoint = await readCheckpoint(join(temporary.path, 'xl.safetensors'))
const targets = loraTargets(checkpoint)
const { signal } = new AbortController()
const module = 'lora_unet_down_blocks_1_attentions_0_transformer_blocks_0_attn1_to_q'
/** Rows and columns of that module. */
const size = 64

const part = (name: string, shape: readonly number[], value = 0.01): StoredTensor => ({
  ...{ name: `${module}.${name}`, shape, dtype: 'F32' },
  bytes: new Uint8Array(Float32Array.from({ length: shape.reduce((product, each) => product * each, 1) }, () => value).buffer),
})
const pair = ({ rank = 4, down = 0.01, up = 0.01 } = {}): readonly StoredTensor[] => [
  part('lora_down.weight', [rank, size], down),
  part('lora_up.weight', [size, rank], up),
]
const loha = (a: readonly number[], b: readonly number[], c = a, d = b): readonly StoredTensor[] => [
  ...[part('hada_w1_a', a), part('hada_w1_b', b), part('hada_w2_a', c), part('hada_w2_b', d)],
]
const typed = (dtype: string, bytes: number): readonly StoredTensor[] =>
  pair().map((tensor) => ({ ...tensor, dtype, bytes: new Uint8Array(4 * size * bytes) }))

async function mix(name: string, tensors: readonly StoredTensor[]): Promise<unknown> {
  const path = join(temporary.path, `${name}.safetensors`)
  await writeFile(path, storedFile(tensors))
  const loras = [{ lora: await readLora(path, targets, { signal }), weight: 1 }]
  return mixLoras(loras, { network: 'unet', weights: checkpoint.unet, branches: changedBranches(loras, 'unet') })
}

suite('a LoRA that cannot be applied is rejected by name', () => {
  const unsound = /holds NaN, infinity or a number over/
  const sizes = /holds matrices of other sizes than the model/
  for (const [name, tensors, expected] of [
    ['nan', pair({ up: Number.NaN }), unsound],
    ['infinity', pair({ down: Number.POSITIVE_INFINITY }), unsound],
    ['overflow', pair({ up: 3e38, down: 3e38 }), unsound],
    ['alpha-nan', [...pair(), part('alpha', [], Number.NaN)], unsound],
    ['alpha-huge', [...pair(), part('alpha', [], 1e38)], unsound],
    ['alpha-empty', [...pair(), part('alpha', [0])], /holds 0 numbers as alpha/],
    ['alpha-twice', [...pair(), part('alpha', [2])], /holds 2 numbers as alpha/],
    ['whole-numbers', typed('I64', 8), /holds ".*" of type I64, not of floating point numbers/],
    ['switches', typed('BOOL', 1), /of type BOOL/],
    ['bytes', typed('F8_E4M3', 1), /of type F8_E4M3/],
    ['rank-zero', pair({ rank: 0 }), /holds no matching pair/],
    ['wide', [part('lora_down.weight', [4, size + 1]), part('lora_up.weight', [size, 4])], sizes],
    ['core-of-another-rank', [...pair(), part('lora_mid.weight', [3, 3, 1, 1])], sizes],
    // Its unit matrix would have 3 600 million numbers.
    ['core-of-a-huge-rank', [...pair({ rank: 60_000 }), part('lora_mid.weight', [1, 1, 1, 1])], sizes],
    ['core-of-nothing', [...pair(), part('lora_mid.weight', [4, 4, 0, 0])], sizes],
    ['core-on-a-layer', [...pair(), part('lora_mid.weight', [4, 4, 3, 3])], sizes],
    ['loha-ranks', loha([size, 2], [3, size]), sizes],
    ['loha-of-nothing', loha([size, 0], [0, size]), sizes],
    ['loha-unlike', loha([size, 2], [2, size], [size, 4], [4, size]), sizes],
    ['loha-huge-rank', loha([size, 3000], [3000, size]), sizes],
    // 400 million numbers from a file of 160 kB.
    ['loha-huge-product', loha([20_000, 1], [1, 20_000]), sizes],
    ['loha-one-core', [...loha([size, 2], [2, size]), part('hada_t1', [2, 2, 1, 1])], sizes],
    ['loha-cores', [...loha([2, size], [2, size]), part('hada_t1', [5, 5, 1, 1]), part('hada_t2', [5, 5, 1, 1])], sizes],
    ['lokr-sizes', [part('lokr_w1', [3, 3]), part('lokr_w2', [5, 5])], sizes],
    ['lokr-of-nothing', [part('lokr_w1', [0, 0]), part('lokr_w2', [5, 5])], sizes],
    ['lokr-huge-product', [part('lokr_w1_a', [20_000, 1]), part('lokr_w1_b', [1, 20_000]), part('lokr_w2', [4, 4])], sizes],
    ['lokr-ranks', [part('lokr_w1_a', [4, 3]), part('lokr_w1_b', [2, 4]), part('lokr_w2', [16, 16])], sizes],
    ['lengths', [...pair(), part('dora_scale', [size + 1, 1])], sizes],
    ['difference', [part('diff', [size, size + 1])], sizes],
    ['bias', [part('diff', [size, size]), part('diff_b', [size + 3])], sizes],
  ] as const)
    test(name, async () => {
      await assert.rejects(mix(name, tensors), (error: Error & { code?: string }) => {
        assert.equal(error.code, 'unsupported', error.message)
        assert.match(error.message, new RegExp(`^The LoRA ${name}\\.safetensors holds `))
        assert.match(error.message, expected)
        return true
      })
    })

  for (const [name, tensors] of [
    ['a pair', pair()],
    ['an alpha of zero', [...pair(), part('alpha', [], 0)]],
    // diffusers' conversion to kohya's names stores the rank as alpha, a PyTorch integer.
    ['a whole alpha', [...pair(), { ...part('alpha', []), dtype: 'I64', bytes: new Uint8Array(new BigInt64Array([4n]).buffer) }]],
    ['a pair of rank 1', pair({ rank: 1 })],
    ['a LoHa', loha([size, 4], [4, size])],
    ['a LoHa with cores', [...loha([2, size], [2, size]), part('hada_t1', [2, 2]), part('hada_t2', [2, 2])]],
    ['a LoKr', [part('lokr_w1', [4, 4]), part('lokr_w2_a', [16, 2]), part('lokr_w2_b', [2, 16])]],
  ] as const)
    test(`${name} of the right sizes is accepted`, async () => assert.ok(await mix(name.replaceAll(' ', '-'), tensors)))
})

test('a textual inversion with NaN is rejected by name', async () => {
  const path = join(temporary.path, 'nan-words.safetensors')
  await writeFile(path, storedFile([{ ...part('', [2, size], Number.NaN), name: 'emb_params' }]))
  await assert.rejects(readEmbedding(path, { signal }), {
    code: 'unsupported',
    message: 'The textual inversion nan-words.safetensors holds NaN, infinity or a number over 1000000000 in "emb_params".',
    param: 'textual_inversions',
  })
})

test('a textual inversion of integers is rejected by name, and the model is not blamed', async () => {
  const path = join(temporary.path, 'whole-words.safetensors')
  await writeFile(path, storedFile([{ name: 'emb_params', shape: [2, size], dtype: 'I32', bytes: new Uint8Array(2 * size * 4) }]))
  await assert.rejects(readEmbedding(path, { signal }), {
    code: 'unsupported',
    message: 'The textual inversion whole-words.safetensors holds "emb_params" of type I32, not of floating point numbers.',
    param: 'textual_inversions',
  })
})
