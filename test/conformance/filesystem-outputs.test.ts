import { openFilesystemOutputs } from '../../src/storage/filesystem/open-filesystem-outputs.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { testOutputStore } from './output-store.ts'

testOutputStore('filesystem', async ({ clock }) => {
  const folder = await createTemporaryFolder()
  const outputs = await openFilesystemOutputs({ folder: folder.path, clock })
  return Object.assign(outputs, { [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() })
})
