import { createMemoryStore } from '../../src/storage/memory/create-memory-store.ts'
import { testStore } from './store.ts'

testStore('memory', async (settings) => createMemoryStore(settings))
