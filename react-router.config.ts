import path from 'node:path'
import type { Config } from '@react-router/dev/config'
import { precompress } from './src/server/pages/precompress.ts'

export default {
  appDirectory: 'src/app',
  buildDirectory: 'build',
  // All routes in the first document: no call for a manifest while moving through the shop.
  routeDiscovery: { mode: 'initial' },
  buildEnd: async ({ reactRouterConfig }) =>
    await precompress(path.join(reactRouterConfig.buildDirectory, 'client')),
} satisfies Config
