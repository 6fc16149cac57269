import { argv } from 'node:process'
import { listImageDevices } from '../../runtimes/diffusion/onnx/choose-provider.ts'
import { reportDevices } from './tell-devices.ts'

await reportDevices(listImageDevices({ software: argv.includes('--software') }))
