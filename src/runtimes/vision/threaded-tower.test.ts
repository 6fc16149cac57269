import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import { suite, test } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { paintPicture, writeSeeingFiles } from '../../../test/support/model-files/seeing-models.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openTower } from './open-tower.ts'
import { openThreadedTower } from './threaded-tower.ts'

const { signal } = new AbortController()

suite('a vision tower in a separate thread', () => {
  test('gives the same output and layout as a tower in this thread', async () => {
    await using folder = await createTemporaryFolder()
    const { projector } = await writeSeeingFiles(folder.path, 'qwen3vl_merger')
    await using here = await openTower(projector, { threads: 1 })
    await using there = await openThreadedTower(projector, { threads: 1 })
    const picture = await paintPicture({ width: 200, height: 90 })
    assert.deepEqual(await there.look(picture, { signal }), await here.look(picture, { signal }))
    assert.deepEqual(await there.layOut(picture, { signal }), await here.layOut(picture, { signal }))
    assert.deepEqual([there.width, there.makesGrids, there.seesAround], [here.width, here.makesGrids, here.seesAround])
  })

  test('does not block this thread while it computes', async () => {
    await using folder = await createTemporaryFolder()
    const { projector } = await writeSeeingFiles(folder.path, 'qwen2.5vl_merger')
    await using tower = await openThreadedTower(projector, { threads: 1 })
    const picture = await paintPicture({ width: 840, height: 840 })
    const before = performance.eventLoopUtilization()
    await tower.look(picture, { signal })
    const { utilization } = performance.eventLoopUtilization(before)
    assert.ok(utilization < 0.5, `busy for ${utilization} of the time`)
  })

  test('reports what is wrong with a file and with an image, and stops when its request is cancelled', async () => {
    await using folder = await createTemporaryFolder()
    const { projector } = await writeSeeingFiles(folder.path, 'gemma3')
    await using tower = await openThreadedTower(projector, { threads: 1 })
    await assert.rejects(tower.look(Buffer.from('no picture'), { signal }), { code: 'validation_error', message: /cannot be read/ })
    const controller = new AbortController()
    const look = tower.look(await paintPicture({ width: 90, height: 90 }), controller)
    controller.abort(new Error('the client left'))
    await assert.rejects(look, /the client left/)
    const broken = `${folder.path}/mmproj-broken.gguf`
    await writeFile(broken, 'no model')
    await assert.rejects(openThreadedTower(broken, { threads: 1 }), { code: 'inference_failed', message: /mmproj-broken/ })
  })

  test('sees again after its thread died', async () => {
    await using folder = await createTemporaryFolder()
    const { projector } = await writeSeeingFiles(folder.path, 'gemma3')
    const threads: Worker[] = []
    const onWorker = (thread: Worker) => threads.push(thread)
    process.on('worker', onWorker)
    await using tower = await openThreadedTower(projector, { threads: 1 })
    const picture = await paintPicture({ width: 90, height: 90 })
    const seen = await tower.look(picture, { signal })
    const look = assert.rejects(tower.look(picture, { signal }), /has ended/)
    await threads[0]?.terminate()
    await look
    assert.deepEqual(await tower.look(picture, { signal }), seen)
    process.off('worker', onWorker)
    assert.equal(threads.length, 2)
  })

  test('rejects requests after it is closed', async () => {
    await using folder = await createTemporaryFolder()
    const { projector } = await writeSeeingFiles(folder.path, 'gemma3')
    const tower = await openThreadedTower(projector, { threads: 1 })
    await tower[Symbol.asyncDispose]()
    await assert.rejects(tower.look(await paintPicture({ width: 90, height: 90 }), { signal }), /has ended/)
  })
})
