import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { esrganFile } from '../../../test/support/model-files/esrgan-file.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createWeightsExaminer } from './examine-in-thread.ts'
import { examineWeights } from './examine-weights.ts'

test('a thread returns what the examination returns, also for several files at once, and reports a file that cannot be read', async () => {
  await using folder = await createTemporaryFolder()
  const examine = createWeightsExaminer()
  const [sound, faulty] = [join(folder.path, 'x.safetensors'), join(folder.path, 'y.safetensors')]
  await writeFile(sound, esrganFile({ naming: 'old', prefix: '', blocks: 1, doublings: 2, gathered: 1 }))
  await writeFile(faulty, 'no weights')
  const found = await Promise.all([examine(sound, 'x'), examine(faulty, 'y')])
  assert.deepEqual(found, [await examineWeights(sound, 'x'), await examineWeights(faulty, 'y')])
  await assert.rejects(examine(join(folder.path, 'nothing.safetensors'), 'z'), /ENOENT/)
})
