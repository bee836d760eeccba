"""An independent reader of Telemetry V2: Google's protobuf and zstandard, with schemas that are not those of the crate.

    check.py schema PROTO                compare the .proto files in the folder PROTO with the schemas beside this file
    check.py dump SCHEMA FILE            print a file as text: one line per field, in a fixed order
    check.py rewrite SCHEMA FILE OUT     decode all records, drop unknown fields, encode them again as a plain stream
    check.py seek FILE                   check the table of blocks: decompress every block alone, print its first and last frame
    check.py make SCHEMA SEED COUNT OUT  write a plain stream of randomly filled messages

SCHEMA is seed, second or third (records are Envelopes), or first_version (a header, then frames).
"""
import importlib
import pathlib
import random
import struct
import sys
import tempfile

import zstandard
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor import FieldDescriptor as Field
from grpc_tools import protoc

HERE = pathlib.Path(__file__).parent
WELL_KNOWN = str(pathlib.Path(protoc.__file__).parent / "_proto")


def compile_schema(schema):
    """Returns the module with the messages of a schema."""
    out = tempfile.mkdtemp()
    folder = HERE / schema
    files = [path.name for path in folder.glob("*.proto")]
    if protoc.main(["protoc", f"-I{folder}", f"-I{WELL_KNOWN}", f"--python_out={out}", *files]) != 0:
        sys.exit(f"{schema} does not compile")
    sys.path.insert(0, out)
    return importlib.import_module("telemetry_pb2" if schema == "first_version" else "capture_pb2")


# ---- streams ---------------------------------------------------------------------------------------------------------


def is_skippable(data, at):
    return 0x50 <= data[at] <= 0x5F and data[at + 1 : at + 4] == b"\x2a\x4d\x18"


def zstd_frames(data):
    """Yields offset, compressed size and content of each zstd frame; ignores skippable frames."""
    at = 0
    while at < len(data):
        if is_skippable(data, at):
            at += 8 + struct.unpack_from("<I", data, at + 4)[0]
            continue
        unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj()
        content = unpacker.decompress(data[at:])
        size = len(data) - at - len(unpacker.unused_data)
        yield at, size, content
        at += size


def stream_of(data):
    if data[:4] == b"\x28\xb5\x2f\xfd" or (len(data) >= 4 and is_skippable(data, 0)):
        return b"".join(content for _, _, content in zstd_frames(data))
    return data


def records(stream):
    at = 0
    while at < len(stream):
        length = shift = 0
        start = at
        while True:
            byte = stream[at]
            at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        yield start, stream[at : at + length]
        at += length


def delimited(record):
    out, length = bytearray(), len(record)
    while length >= 0x80:
        out.append(length & 0x7F | 0x80)
        length >>= 7
    out.append(length)
    return bytes(out) + record


def message_type(module, schema, index):
    if schema == "first_version":
        return module.TelemetryHeader if index == 0 else module.LobbySessionStateFrame
    return module.Envelope


def parsed(module, schema, path):
    data = pathlib.Path(path).read_bytes()
    for index, (_, record) in enumerate(records(stream_of(data))):
        message = message_type(module, schema, index)()
        message.ParseFromString(record)
        yield message


# ---- values as text --------------------------------------------------------------------------------------------------


def text_of(field, value):
    if field.type == Field.TYPE_FLOAT:
        return "f%08x" % struct.unpack("<I", struct.pack("<f", value))[0]
    if field.type == Field.TYPE_DOUBLE:
        return "d%016x" % struct.unpack("<Q", struct.pack("<d", value))[0]
    if field.type == Field.TYPE_STRING:
        return "s" + value.encode().hex()
    if field.type == Field.TYPE_BYTES:
        return "b" + value.hex()
    return "i%d" % int(value)


def is_map(field):
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def lines(message, path, out):
    """Appends a line for each value present in the message; with numbers instead of names, so that only the wire format matters."""
    for field, value in sorted(message.ListFields(), key=lambda pair: pair[0].number):
        here = f"{path}.{field.number}"
        if is_map(field):
            for key in sorted(value):
                out.append(f"{here} {key.encode().hex()}={value[key].encode().hex()}")
        elif field.message_type is not None:
            for index, inner in enumerate(value if field.is_repeated else [value]):
                out.append(f"{here}[{index}]" if field.is_repeated else here)
                lines(inner, out[-1], out)
        elif field.is_repeated:
            out.append(f"{here} " + ",".join(text_of(field, one) for one in value))
        else:
            out.append(f"{here} {text_of(field, value)}")


def dump(schema, path):
    module = compile_schema(schema)
    for index, message in enumerate(parsed(module, schema, path)):
        out = [f"record {index}"]
        lines(message, "", out)
        print("\n".join(out))


def rewrite(schema, path, target):
    module = compile_schema(schema)
    with open(target, "xb") as out:
        for message in parsed(module, schema, path):
            message.DiscardUnknownFields()
            out.write(delimited(message.SerializeToString(deterministic=True)))


# ---- the table of blocks ---------------------------------------------------------------------------------------------


def seek(path):
    """Reads the table at the end of the file, then every block on its own, in reverse order."""
    data = pathlib.Path(path).read_bytes()
    count, descriptor, magic = struct.unpack("<IBI", data[-9:])
    assert magic == 0x8F92EAB1 and descriptor == 0, (hex(magic), descriptor)
    size = 8 + 8 * count + 9
    head, length = struct.unpack_from("<II", data, len(data) - size)
    assert head == 0x184D2A5E and length == size - 8, (hex(head), length)
    entries = [struct.unpack_from("<II", data, len(data) - size + 8 + 8 * n) for n in range(count)]
    starts = [sum(packed for packed, _ in entries[:n]) for n in range(count)]
    assert sum(packed for packed, _ in entries) + size == len(data)
    module = compile_schema("third")
    shown = []
    for start, (packed, raw) in reversed(list(zip(starts, entries))):
        content = zstandard.ZstdDecompressor().decompress(data[start : start + packed])
        assert len(content) == raw
        kinds = [module.Envelope.FromString(record) for _, record in records(content)]
        first, last = kinds[0], kinds[-1]
        if first.WhichOneof("message") == "frame":
            shown.append(f"{start} frames {first.frame.frame_index} {last.frame.frame_index}")
        else:
            shown.append(f"{start} {first.WhichOneof('message')}")
    print("\n".join(reversed(shown)))


# ---- messages filled at random ---------------------------------------------------------------------------------------

RANGES = {
    Field.TYPE_INT32: (-(2**31), 2**31 - 1),
    Field.TYPE_UINT32: (0, 2**32 - 1),
    Field.TYPE_INT64: (-(2**40), 2**40),
    Field.TYPE_UINT64: (0, 2**64 - 1),
}


def scalar(chance, field):
    if field.type in RANGES:
        low, high = RANGES[field.type]
        return chance.choice([low, high, 0, 1, chance.randint(low, high)])
    if field.type == Field.TYPE_BOOL:
        return chance.random() < 0.5
    if field.type == Field.TYPE_ENUM:
        return chance.choice([value.number for value in field.enum_type.values] + [999])
    # Elsewhere a negative zero is omitted like a zero when a message is re-encoded.
    zeros = [0.0, -0.0] if field.is_repeated or field.containing_type.name in ("Vec3", "Quat") else [0.0]
    if field.type == Field.TYPE_FLOAT:
        return struct.unpack("<f", struct.pack("<f", chance.choice([*zeros, 1.0, -1.5, chance.uniform(-1e6, 1e6), 1e-40])))[0]
    if field.type == Field.TYPE_DOUBLE:
        return chance.choice([*zeros, 1.0, -1.5, chance.uniform(-1e9, 1e9)])
    if field.type == Field.TYPE_STRING:
        return "".join(chance.choice("aé€😀 0\n") for _ in range(chance.randint(0, 9)))
    return bytes(chance.randint(0, 255) for _ in range(chance.randint(0, 40)))


def fill(chance, message, depth=0):
    done = set()
    for field in message.DESCRIPTOR.fields:
        if field.containing_oneof is not None and len(field.containing_oneof.fields) > 1:
            if field.containing_oneof.name in done:
                continue
            done.add(field.containing_oneof.name)
            field = chance.choice(field.containing_oneof.fields)
        elif chance.random() < 0.3:
            continue
        if is_map(field):
            for _ in range(chance.randint(0, 3)):
                # Empty values may be written or omitted: both are valid, so they would not round-trip byte for byte.
                getattr(message, field.name)[chance.choice("abc")] = chance.choice(["y", "x"])
        elif field.message_type is not None and field.is_repeated:
            for _ in range(chance.randint(0, 3)):
                fill(chance, getattr(message, field.name).add(), depth + 1)
        elif field.message_type is not None:
            inner = getattr(message, field.name)
            inner.SetInParent()
            fill(chance, inner, depth + 1)
        elif field.is_repeated:
            getattr(message, field.name).extend(scalar(chance, field) for _ in range(chance.randint(0, 4)))
        else:
            setattr(message, field.name, scalar(chance, field))


def make(schema, seed, count, target):
    module, chance = compile_schema(schema), random.Random(int(seed))
    with open(target, "xb") as out:
        for index in range(int(count)):
            message = message_type(module, schema, index)()
            if schema != "first_version":
                # A header, then frames and footers with every kind of message.
                getattr(message, "header" if index == 0 else chance.choice(["frame", "frame", "frame", "footer"])).SetInParent()
                kind = message.WhichOneof("message")
                fill(chance, getattr(message, kind))
                if kind == "header" and hasattr(message.header, "format_minor"):
                    # From 2 on, it is a later generation.
                    message.header.format_minor %= 2
                if kind == "frame":
                    message.frame.frame_index = index - 1
                    message.frame.echo_arena.SetInParent()
                    event = message.frame.echo_arena.events.add()
                    variants = event.DESCRIPTOR.oneofs_by_name["event"].fields
                    chosen = getattr(event, variants[index % len(variants)].name)
                    chosen.SetInParent()
                    fill(chance, chosen)
            else:
                fill(chance, message)
                if index == 0:
                    message.capture_id, message.created_at.seconds = "made", 1
                else:
                    message.frame_index = index
            out.write(delimited(message.SerializeToString(deterministic=True)))


# ---- schemas ---------------------------------------------------------------------------------------------------------


def shape_of_files(files):
    """Returns every field as (message, number): name, type, label, presence, oneof; every enum value."""
    shape = {}

    def add(prefix, message):
        name = f"{prefix}.{message.name}"
        for field in message.field:
            oneof = ""
            if field.HasField("oneof_index") and not field.proto3_optional:
                oneof = message.oneof_decl[field.oneof_index].name
            kind = (field.name, field.type, field.type_name, field.label, field.proto3_optional, oneof)
            shape[name, field.number] = kind
        for inner in message.nested_type:
            add(name, inner)
        for enum in message.enum_type:
            enums(name, enum)

    def enums(prefix, enum):
        for value in enum.value:
            shape[f"{prefix}.{enum.name}", value.name] = value.number

    for file in files:
        for message in file.message_type:
            add(file.package, message)
        for enum in file.enum_type:
            enums(file.package, enum)
    return shape


def shape_of(folder):
    out = tempfile.mktemp()
    files = [str(path.relative_to(folder)) for path in folder.rglob("*.proto")]
    assert protoc.main(["protoc", f"-I{folder}", f"-I{WELL_KNOWN}", f"--descriptor_set_out={out}", *files]) == 0
    return shape_of_files(descriptor_pb2.FileDescriptorSet.FromString(pathlib.Path(out).read_bytes()).file)


def schema(proto):
    ours = shape_of(pathlib.Path(proto))
    theirs = shape_of(HERE / "third") | shape_of(HERE / "first_version")
    wrong = [f"{key}: {theirs[key]} is {ours.get(key)}" for key in theirs if ours.get(key) != theirs[key]]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(theirs)} fields and values are the same, {len(ours) - len(theirs)} are added")
    for message, number in sorted(set(ours) - set(theirs), key=str):
        print(f"added {message} {number}")


if __name__ == "__main__":
    {"schema": schema, "dump": dump, "rewrite": rewrite, "seek": seek, "make": make}[sys.argv[1]](*sys.argv[2:])
