import { testFrameworks } from './frameworks-suite.ts'
import { startFakeTarget } from './start-fake-target.ts'

testFrameworks('fake models', startFakeTarget)
