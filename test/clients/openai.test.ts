import { testOpenAi } from './openai-suite.ts'
import { startFakeTarget } from './start-fake-target.ts'

testOpenAi('fake models', startFakeTarget)
