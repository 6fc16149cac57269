import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createTestClock } from '../support/test-clock.ts'
import { testImageModel } from './image-model.ts'

testImageModel('fake', async () => ({ ...createFakeImageModel({ clock: createTestClock() }), [Symbol.asyncDispose]: async () => {} }))
