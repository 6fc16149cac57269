import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listBenchModels } from '../../bench/text/bench-model.ts'
import { measureIdentity } from '../../bench/text/measure-identity.ts'

const skip = process.env.LLAMA_SERVER === undefined ? 'set LLAMA_SERVER to a llama-server binary (bench/text/build-llama-server.sh)' : false

for (const model of await listBenchModels())
  for (const together of [1, 8])
    test(`greedy answers of ${model.model} equal llama-server's token for token, ${together} at a time`, { skip }, async () => {
      assert.deepEqual(await measureIdentity(model, together), [])
    })
