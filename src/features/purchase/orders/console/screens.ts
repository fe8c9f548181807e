import { ReceiptEuro } from 'lucide-react'
import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'

export const screens = [
  {
    path: '/orders',
    name: 'orders',
    place: 30,
    icon: ReceiptEuro,
    permission: 'orders.read',
    load: () => import('./orders.tsx'),
    catalogues: ['consoleOrders'],
    follows: 'list',
    actions: { exportOrders: 'orders.export' },
  },
  {
    path: '/orders/:id',
    permission: 'orders.read',
    load: () => import('./order.tsx'),
    catalogues: ['consoleOrders'],
    follows: 'record',
  },
  {
    path: '/search',
    name: 'search',
    place: 31,
    permission: 'search.use',
    load: () => import('./search.tsx'),
    catalogues: ['consoleOrders'],
    // It answers a question once.
    follows: false,
  },
] as const satisfies readonly ScreenDeclaration[]
