import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sepia } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

describe('a configured GPU that is missing', () => {
  it('stops the start with the devices found and what to change', async () => {
    await using data = await createTemporaryFolder()
    // Metal is never there on Linux or Windows, CUDA's build is not installed by default.
    const gpu = process.platform === 'darwin' ? 'cuda' : 'metal'
    const { code, out, err } = await sepia('serve', '--gpu', gpu, '--port', '0', '--data', data.path)
    assert.equal(code, 2)
    assert.equal(out, '')
    assert.match(
      err,
      new RegExp(
        `^gpu: No ${gpu} device was found for .*; found: .*\\. Install its driver \\(see docs/hardware\\.md\\), or set gpu to auto\\.$`,
        'm',
      ),
    )
  })
})
