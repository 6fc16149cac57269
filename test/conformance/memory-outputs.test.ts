import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { testOutputStore } from './output-store.ts'

testOutputStore('memory', async (settings) => Object.assign(createMemoryOutputs(settings), { [Symbol.asyncDispose]: async () => {} }))
