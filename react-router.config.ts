import path from 'node:path'
import type { Config } from '@react-router/dev/config'
import { precompress } from './src/server/pages/compression.ts'

export default {
  appDirectory: 'src/apps/site',
  buildDirectory: 'build',
  // All routes in the first document: no call for a manifest while moving through the shop.
  routeDiscovery: { mode: 'initial' },
  // A guarded page is one file: split, it would be three small ones.
  splitRouteModules: false,
  buildEnd: async ({ reactRouterConfig }) =>
    await precompress(path.join(reactRouterConfig.buildDirectory, 'client')),
} satisfies Config
