/** Are our greedy answers token for token llama-server's? Fifty prompts, alone and eight at a time, on the same kernels where LLAMA_BUILDS has them; ends with exit code 1 when any differs. THREADS sets the threads of both. */

import { listBenchModels } from './bench-model.ts'
import { measureIdentity } from './measure-identity.ts'

for (const model of await listBenchModels())
  for (const together of [1, 8]) {
    const differing = await measureIdentity(model, together)
    console.log(`${model.model}, ${together} at a time: ${50 - differing.length} of 50 identical`)
    for (const { prompt, ours, theirs } of differing) console.log(`  ${prompt}\n    sepia        ${ours}\n    llama-server ${theirs}`)
    if (differing.length > 0) process.exitCode = 1
  }
