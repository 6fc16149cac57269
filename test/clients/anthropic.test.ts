import { testAnthropic } from './anthropic-suite.ts'
import { startFakeTarget } from './start-fake-target.ts'

testAnthropic('fake models', startFakeTarget)
