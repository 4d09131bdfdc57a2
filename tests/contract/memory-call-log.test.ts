import { memoryCallLog } from '../../src/world/call-log.ts';
import { callLogSuite } from './call-log.ts';

callLogSuite('in memory', () => [memoryCallLog()]);
