import { argv } from 'node:process'
import { listImageDevices } from '../../runtimes/diffusion/onnx/choose-provider.ts'
import { tellDevices } from './tell-devices.ts'

await tellDevices(listImageDevices({ software: argv.includes('--software') }))
