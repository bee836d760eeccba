// Reads messages with ac-remote-telemetry-client, as any program with it does, and prints some of their values.
//
//     ac_remote_values.cjs ADDRESS PORT COUNT
//     ready                          when it is about to shake hands
//     names CAR TRACK                the answer to the handshake
//     car SPEED RPM GEAR POSITION    for each update; speed, rpm and position are the bits of floats
//     lap NUMBER MS                  for each lap
//
// The package has the game's port as a constant. Its datagrams are sent to another one here, so that tests can run side by side.
// What the package itself prints goes to stderr.
const dgram = require('dgram');

console.log = console.error;
const print = (line) => process.stdout.write(`${line}\n`);

const [address, port, count] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const createSocket = dgram.createSocket;
dgram.createSocket = (...args) => {
  const socket = createSocket(...args);
  const send = socket.send.bind(socket);
  socket.send = (...values) => send(...values.map((value) => (value === 9996 ? port : value)));
  return socket;
};

const Client = require('ac-remote-telemetry-client');

const bits = (value) => {
  const buffer = Buffer.alloc(4);
  buffer.writeFloatBE(value);
  return buffer.toString('hex');
};
const text = (value) => value.split(/[%\0]/)[0];

const client = new Client(address);
let left = count;
const message = (line) => {
  print(line);
  left -= 1;
  if (left === 0) {
    client.dismiss();
    client.client.close();
  }
};
client.on('HANDSHAKER_RESPONSE', (names) => {
  print(`names ${text(names.carName)} ${text(names.trackName)}`);
  client.subscribeSpot();
  client.subscribeUpdate();
});
client.on('RT_CAR_INFO', (car) => {
  message(`car ${bits(car.speedKmh)} ${bits(car.engineRPM)} ${car.gear} ${bits(car.carPositionNormalized)}`);
});
client.on('RT_LAP', (lap) => message(`lap ${lap.lap} ${lap.time}`));
client.start();
print('ready');
client.handshake();
