import { Users } from 'lucide-react'
import type { ScreenDeclaration } from '#console-kit/screen-declaration.ts'

export const screens = [
  {
    path: '/customers',
    name: 'customers',
    place: 40,
    icon: Users,
    permission: 'customers.read',
    load: () => import('./customers.tsx'),
    catalogues: ['consoleCustomers'],
    follows: 'list',
  },
  {
    path: '/customers/:id',
    permission: 'customers.read',
    load: () => import('./customer.tsx'),
    catalogues: ['consoleCustomers', 'consoleMessages', 'console.codes', 'consoleOrders'],
    follows: 'record',
  },
] as const satisfies readonly ScreenDeclaration[]
