/** A 3MF package with one of each resource that only the server can query: a mesh (1), a beam lattice (2) and an image (3). */

const MODEL = `<?xml version="1.0" encoding="UTF-8"?>
<model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
 xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"
 xmlns:v="http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01"
 xmlns:i="http://schemas.3mf.io/3dmanufacturing/implicit/2023/12">
<resources>
<object id="1" name="corner"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="6" y="0" z="0"/>
<vertex x="0" y="6" z="0"/><vertex x="0" y="0" z="6"/></vertices><triangles><triangle v1="0" v2="2" v3="1"/>
<triangle v1="0" v2="1" v3="3"/><triangle v1="1" v2="2" v3="3"/><triangle v1="2" v2="0" v3="3"/></triangles></mesh></object>
<object id="2" name="beam"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="9" y="3" z="0"/></vertices>
<b:beamlattice radius="1" minlength="0.5" cap="sphere"><b:beams><b:beam v1="0" v2="1"/></b:beams></b:beamlattice></mesh></object>
<v:image3d id="3" name="cloud"><v:imagestack rowcount="1" columncount="1" sheetcount="1">
<v:imagesheet path="/volume/a.png"/></v:imagestack></v:image3d>
</resources><build><item objectid="1"/></build></model>`;

const TYPES = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="model" ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
<Default Extension="png" ContentType="image/png"/></Types>`;

const relationships = (type, target) => `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/${type}" Target="${target}" Id="r1"/></Relationships>`;

/** One grey pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1));
  }
  return ~sum >>> 0;
}

/** A ZIP archive of stored files, by name and content. */
function archive(files) {
  const local = [];
  const central = [];
  let offset = 0;
  for (const [name, content] of files) {
    const [title, body] = [Buffer.from(name), Buffer.from(content)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x21, 8);
    common.writeUInt32LE(crc(body), 10);
    common.writeUInt32LE(body.length, 14);
    common.writeUInt32LE(body.length, 18);
    common.writeUInt16LE(title.length, 22);
    local.push(Buffer.from('PK\x03\x04'), common, title, body);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    central.push(Buffer.from('PK\x01\x02\x14\x00'), common, place, title);
    offset += 30 + title.length + body.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(files.length, 4);
  end.writeUInt16LE(files.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, Buffer.from('PK\x05\x06'), end]);
}

export const resources = () =>
  archive([
    ['[Content_Types].xml', TYPES],
    ['_rels/.rels', relationships('3dmodel', '/3D/3dmodel.model')],
    ['3D/_rels/3dmodel.model.rels', relationships('3dtexture', '/volume/a.png')],
    ['3D/3dmodel.model', MODEL],
    ['volume/a.png', Buffer.from(PIXEL, 'base64')],
  ]);
