import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPrivateHost } from './private-host.ts'

const hostOf = (host: string) => new URL(`https://${host}/`).hostname

for (const host of [
  'localhost',
  'LOCALHOST.',
  'x.localhost',
  '127.0.0.1',
  '2130706433',
  '0x7f.1',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.31.0.1',
  '192.168.1.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::127.0.0.1]',
  '[::10.1.2.3]',
  '[fd00::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[64:ff9b::10.1.2.3]',
  '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
])
  test(`${host} is private`, () => assert.equal(isPrivateHost(hostOf(host)), true))

for (const host of [
  'example.com',
  'localhost.example.com',
  '1.1.1.1',
  '172.32.0.1',
  '[2606:4700::1111]',
  '[64:ff9b::1.1.1.1]',
  '[2002:101:101::]',
])
  test(`${host} may be public`, () => assert.equal(isPrivateHost(hostOf(host)), false))
