/* Kernels that each run one opcode, or one form of it, on many operands (README.md).
 *
 * All have the same parameters: up to three inputs, read by thread, and an output that holds one
 * row of N results a form, N = number of threads. A form is a PTX instruction that is one opcode
 * with modifiers (and what brings operands and results into place), or C where no PTX instruction
 * gives the opcode. r, l, h: 32-, 64- and 16-bit registers; r_ll(k, ...): result r from l and l,
 * stored in row k. 16-bit results are stored as words. */
#include <cstdint>
typedef uint32_t u32;
typedef uint64_t u64;
typedef uint16_t u16;

#define KERNEL(name)                                                                               \
    extern "C" __global__ void op_##name(const void *a, const void *b, const void *c, void *out)
#define THREAD u32 i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
#define IN(T, p) (((const T *)p)[i])
#define IN1(T) THREAD T x = IN(T, a);
#define IN2(T) IN1(T) T y = IN(T, b);
#define IN3(T) IN2(T) T z = IN(T, c);
#define W(row) (((u32 *)out)[(row) * n + i])
#define L(row) (((u64 *)out)[(row) * n + i])

#define r_r(row, s) { u32 d; asm volatile(s : "=r"(d) : "r"(x)); W(row) = d; }
#define r_rr(row, s) { u32 d; asm volatile(s : "=r"(d) : "r"(x), "r"(y)); W(row) = d; }
#define r_rrr(row, s) { u32 d; asm volatile(s : "=r"(d) : "r"(x), "r"(y), "r"(z)); W(row) = d; }
#define r_l(row, s) { u32 d; asm volatile(s : "=r"(d) : "l"(x)); W(row) = d; }
#define r_ll(row, s) { u32 d; asm volatile(s : "=r"(d) : "l"(x), "l"(y)); W(row) = d; }
#define r_h(row, s) { u32 d; asm volatile(s : "=r"(d) : "h"((u16)x)); W(row) = d; }
#define h_r(row, s) { u16 d; asm volatile(s : "=h"(d) : "r"(x)); W(row) = d; }
#define h_l(row, s) { u16 d; asm volatile(s : "=h"(d) : "l"(x)); W(row) = d; }
#define h_h(row, s) { u16 d; asm volatile(s : "=h"(d) : "h"((u16)x)); W(row) = d; }
#define h_rr(row, s) { u16 d; asm volatile(s : "=h"(d) : "r"(x), "r"(y)); W(row) = d; }
#define l_r(row, s) { u64 d; asm volatile(s : "=l"(d) : "r"(x)); L(row) = d; }
#define l_h(row, s) { u64 d; asm volatile(s : "=l"(d) : "h"((u16)x)); L(row) = d; }
#define l_l(row, s) { u64 d; asm volatile(s : "=l"(d) : "l"(x)); L(row) = d; }
#define l_rr(row, s) { u64 d; asm volatile(s : "=l"(d) : "r"(x), "r"(y)); L(row) = d; }
#define l_ll(row, s) { u64 d; asm volatile(s : "=l"(d) : "l"(x), "l"(y)); L(row) = d; }
#define l_lll(row, s) { u64 d; asm volatile(s : "=l"(d) : "l"(x), "l"(y), "l"(z)); L(row) = d; }
#define l_lr(row, s) { u64 d; asm volatile(s : "=l"(d) : "l"(x), "r"((u32)y)); L(row) = d; }

/* The four roundings of an operation on floating point, and of a conversion to integers. */
#define ROUND(form, row, head, tail)                                                               \
    form(row, head ".rn" tail) form(row + 1, head ".rz" tail)                                      \
    form(row + 2, head ".rm" tail) form(row + 3, head ".rp" tail)
#define ROUND_INT(form, row, tail)                                                                 \
    form(row, "cvt.rni" tail) form(row + 1, "cvt.rzi" tail)                                        \
    form(row + 2, "cvt.rmi" tail) form(row + 3, "cvt.rpi" tail)

/* --- Floating point to integer --- */
KERNEL(f2i_s32_f32) { IN1(u32) ROUND_INT(r_r, 0, ".s32.f32 %0,%1;") }
KERNEL(f2i_u32_f32) { IN1(u32) ROUND_INT(r_r, 0, ".u32.f32 %0,%1;") }
KERNEL(f2i_ftz_f32) { IN1(u32) ROUND_INT(r_r, 0, ".ftz.s32.f32 %0,%1;") }
KERNEL(f2i_s64_f32) { IN1(u32) ROUND_INT(l_r, 0, ".s64.f32 %0,%1;") }
KERNEL(f2i_u64_f32) { IN1(u32) ROUND_INT(l_r, 0, ".u64.f32 %0,%1;") }
KERNEL(f2i_short_f32)
{
    IN1(u32)
    h_r(0, "cvt.rzi.s16.f32 %0,%1;")
    h_r(1, "cvt.rzi.u16.f32 %0,%1;")
    h_r(2, "{.reg .s16 t; cvt.rzi.s8.f32 t,%1; mov.b16 %0,t;}")
    h_r(3, "{.reg .u16 t; cvt.rzi.u8.f32 t,%1; mov.b16 %0,t;}")
}
KERNEL(f2i_s32_f64) { IN1(u64) ROUND_INT(r_l, 0, ".s32.f64 %0,%1;") }
KERNEL(f2i_u32_f64) { IN1(u64) ROUND_INT(r_l, 0, ".u32.f64 %0,%1;") }
KERNEL(f2i_64_f64)
{
    IN1(u64)
    l_l(0, "cvt.rni.s64.f64 %0,%1;")
    l_l(1, "cvt.rmi.s64.f64 %0,%1;")
    l_l(2, "cvt.rzi.u64.f64 %0,%1;")
    l_l(3, "cvt.rpi.u64.f64 %0,%1;")
}
KERNEL(f2i_f16)
{
    IN1(u32)
    h_h(0, "cvt.rni.s16.f16 %0,%1;")
    h_h(1, "cvt.rpi.u16.f16 %0,%1;")
    r_h(2, "cvt.rmi.s32.f16 %0,%1;")
    r_h(3, "cvt.rzi.u32.f16 %0,%1;")
}

/* --- Integer to floating point --- */
KERNEL(i2f_f32_s32) { IN1(u32) ROUND(r_r, 0, "cvt", ".f32.s32 %0,%1;") }
KERNEL(i2f_f32_u32) { IN1(u32) ROUND(r_r, 0, "cvt", ".f32.u32 %0,%1;") }
KERNEL(i2f_f32_s64) { IN1(u64) ROUND(r_l, 0, "cvt", ".f32.s64 %0,%1;") }
KERNEL(i2f_f32_u64) { IN1(u64) ROUND(r_l, 0, "cvt", ".f32.u64 %0,%1;") }
KERNEL(i2f_f64)
{
    IN1(u64)
    l_l(0, "cvt.rn.f64.s64 %0,%1;")
    l_l(1, "cvt.rm.f64.s64 %0,%1;")
    l_l(2, "cvt.rz.f64.u64 %0,%1;")
    l_l(3, "{.reg .s32 t; cvt.s32.s64 t,%1; cvt.rn.f64.s32 %0,t;}")
    l_l(4, "{.reg .u32 t; cvt.u32.u64 t,%1; cvt.rn.f64.u32 %0,t;}")
}
KERNEL(i2f_f16)
{
    IN1(u32)
    ROUND(h_r, 0, "cvt", ".f16.s32 %0,%1;")
    h_r(4, "cvt.rn.f16.u32 %0,%1;")
    h_h(5, "cvt.rn.f16.s16 %0,%1;")
    h_h(6, "cvt.rz.f16.u16 %0,%1;")
}
KERNEL(i2f_bytes)
{
    IN1(u32)
    W(0) = __float_as_uint((float)(int8_t)(x >> 8));
    W(1) = __float_as_uint((float)(uint8_t)(x >> 16));
    W(2) = __float_as_uint((float)(int16_t)x);
    W(3) = __float_as_uint((float)(uint16_t)(x >> 16));
}

/* --- Between formats of floating point --- */
KERNEL(f2f_f16_f32)
{
    IN1(u32)
    ROUND(h_r, 0, "cvt", ".f16.f32 %0,%1;")
    h_r(4, "cvt.rn.sat.f16.f32 %0,%1;")
}
KERNEL(f2f_f32_f64)
{
    IN1(u64)
    ROUND(r_l, 0, "cvt", ".f32.f64 %0,%1;")
    r_l(4, "cvt.rn.ftz.f32.f64 %0,%1;")
    h_l(5, "cvt.rn.f16.f64 %0,%1;")
}
KERNEL(f2f_f64) { IN1(u32) l_r(0, "cvt.f64.f32 %0,%1;") l_h(1, "cvt.f64.f16 %0,%1;") }
KERNEL(f2f_f32)
{
    IN1(u32)
    r_r(0, "cvt.ftz.f32.f32 %0,%1;")
    r_r(1, "cvt.sat.f32.f32 %0,%1;")
    r_h(2, "cvt.f32.f16 %0,%1;")
    r_h(3, "cvt.f32.bf16 %0,%1;")
}
KERNEL(f2fp_f16x2)
{
    IN2(u32)
    r_rr(0, "cvt.rn.f16x2.f32 %0,%1,%2;")
    r_rr(1, "cvt.rz.f16x2.f32 %0,%1,%2;")
    r_rr(2, "cvt.rn.relu.f16x2.f32 %0,%1,%2;")
}
KERNEL(f2fp_bf16x2)
{
    IN2(u32)
    r_rr(0, "cvt.rn.bf16x2.f32 %0,%1,%2;")
    r_rr(1, "cvt.rz.bf16x2.f32 %0,%1,%2;")
    r_rr(2, "cvt.rz.relu.bf16x2.f32 %0,%1,%2;")
}
KERNEL(f2fp_tf32)
{
    IN1(u32)
    r_r(0, "cvt.rna.tf32.f32 %0,%1;")
    r_r(1, "cvt.rn.tf32.f32 %0,%1;")
    r_r(2, "cvt.rz.relu.tf32.f32 %0,%1;")
}
KERNEL(f2fp_f8)
{
    IN2(u32)
    h_rr(0, "cvt.rn.satfinite.e4m3x2.f32 %0,%1,%2;")
    h_rr(1, "cvt.rn.satfinite.e5m2x2.f32 %0,%1,%2;")
    h_rr(2, "cvt.rn.satfinite.relu.e4m3x2.f32 %0,%1,%2;")
    h_r(3, "cvt.rn.satfinite.e4m3x2.f16x2 %0,%1;")
    h_r(4, "cvt.rn.satfinite.e5m2x2.f16x2 %0,%1;")
    r_h(5, "cvt.rn.f16x2.e4m3x2 %0,%1;")
    r_h(6, "cvt.rn.relu.f16x2.e5m2x2 %0,%1;")
}
KERNEL(frnd_f32)
{
    IN1(u32)
    ROUND_INT(r_r, 0, ".f32.f32 %0,%1;")
    r_r(4, "cvt.rpi.ftz.f32.f32 %0,%1;")
    r_r(5, "cvt.rni.sat.f32.f32 %0,%1;")
}
KERNEL(frnd_f64) { IN1(u64) ROUND_INT(l_l, 0, ".f64.f64 %0,%1;") }
KERNEL(frnd_f16) { IN1(u32) ROUND_INT(h_h, 0, ".f16.f16 %0,%1;") }

/* --- Integers to smaller integers, bytes --- */
KERNEL(i2i_sat)
{
    IN1(u32)
    r_r(0, "{.reg .s16 t; cvt.sat.s8.s32 t,%1; cvt.s32.s16 %0,t;}")
    r_r(1, "{.reg .u16 t; cvt.sat.u8.s32 t,%1; cvt.u32.u16 %0,t;}")
    r_r(2, "{.reg .s16 t; cvt.sat.s16.u32 t,%1; cvt.s32.s16 %0,t;}")
    r_r(3, "{.reg .u16 t; cvt.sat.u16.s32 t,%1; cvt.u32.u16 %0,t;}")
}
KERNEL(i2ip)
{
    IN3(u32)
    r_rr(0, "cvt.pack.sat.s16.s32 %0,%1,%2;")
    r_rr(1, "cvt.pack.sat.u16.s32 %0,%1,%2;")
    r_rrr(2, "cvt.pack.sat.s8.s32.b32 %0,%1,%2,%3;")
    r_rrr(3, "cvt.pack.sat.u8.s32.b32 %0,%1,%2,%3;")
}
KERNEL(prmt_select) { IN3(u32) r_rrr(0, "prmt.b32 %0,%1,%2,%3;") }
KERNEL(prmt_modes)
{
    IN3(u32)
    r_rrr(0, "prmt.b32.f4e %0,%1,%2,%3;")
    r_rrr(1, "prmt.b32.b4e %0,%1,%2,%3;")
    r_rrr(2, "prmt.b32.rc8 %0,%1,%2,%3;")
    r_rrr(3, "prmt.b32.ecl %0,%1,%2,%3;")
    r_rrr(4, "prmt.b32.ecr %0,%1,%2,%3;")
    r_rrr(5, "prmt.b32.rc16 %0,%1,%2,%3;")
    r_rr(6, "prmt.b32 %0,%1,%2,0xf0a5;")
    r_rr(7, "prmt.b32 %0,%1,%2,0x3715;")
}

/* --- Shifts and fields --- */
KERNEL(shf)
{
    IN3(u32)
    r_rrr(0, "shf.l.wrap.b32 %0,%1,%2,%3;")
    r_rrr(1, "shf.r.wrap.b32 %0,%1,%2,%3;")
    r_rrr(2, "shf.l.clamp.b32 %0,%1,%2,%3;")
    r_rrr(3, "shf.r.clamp.b32 %0,%1,%2,%3;")
}
KERNEL(shf_32)
{
    IN2(u32)
    r_rr(0, "shl.b32 %0,%1,%2;")
    r_rr(1, "shr.u32 %0,%1,%2;")
    r_rr(2, "shr.s32 %0,%1,%2;")
}
KERNEL(shf_64)
{
    IN2(u64)
    l_lr(0, "shl.b64 %0,%1,%2;")
    l_lr(1, "shr.u64 %0,%1,%2;")
    l_lr(2, "shr.s64 %0,%1,%2;")
}
KERNEL(sgxt_bmsk)
{
    IN2(u32)
    r_rr(0, "szext.clamp.s32 %0,%1,%2;")
    r_rr(1, "szext.wrap.u32 %0,%1,%2;")
    r_rr(2, "bmsk.clamp.b32 %0,%1,%2;")
    r_rr(3, "bmsk.wrap.b32 %0,%1,%2;")
}
KERNEL(bit_field)
{
    IN3(u32)
    r_rrr(0, "bfe.u32 %0,%1,%2,%3;")
    r_rrr(1, "bfe.s32 %0,%1,%2,%3;")
    r_rrr(2, "bfi.b32 %0,%1,%3,%2,7;")
}
KERNEL(popc) { IN1(u32) r_r(0, "popc.b32 %0,%1;") W(1) = __popc(~x); }
KERNEL(flo)
{
    IN1(u32)
    r_r(0, "bfind.u32 %0,%1;")
    r_r(1, "bfind.s32 %0,%1;")
    r_r(2, "bfind.shiftamt.u32 %0,%1;")
    r_r(3, "bfind.shiftamt.s32 %0,%1;")
    r_r(4, "clz.b32 %0,%1;")
}
KERNEL(brev) { IN1(u64) l_l(0, "brev.b64 %0,%1;") }

/* --- Logic --- */
#define LUT1(t) W(t) = ({ u32 d; asm volatile("lop3.b32 %0,%1,%2,%3,%4;" : "=r"(d) : "r"(x), "r"(y), "r"(z), "n"(t)); d; });
#define LUT4(t) LUT1(t) LUT1(t + 1) LUT1(t + 2) LUT1(t + 3)
#define LUT16(t) LUT4(t) LUT4(t + 4) LUT4(t + 8) LUT4(t + 12)
#define LUT64(t) LUT16(t) LUT16(t + 16) LUT16(t + 32) LUT16(t + 48)
KERNEL(lop3) { IN3(u32) LUT64(0) LUT64(64) LUT64(128) LUT64(192) }
KERNEL(lop3_predicate)
{
    IN3(u32)
    r_rrr(0, "{.reg .pred p,q; setp.lt.u32 q,%1,%3; lop3.or.b32 %0|p,%1,%2,%3,0x80,q; selp.u32 %0,1,0,p;}")
    r_rrr(1, "{.reg .pred p,q; setp.lt.s32 q,%1,%3; lop3.and.b32 %0|p,%1,%2,%3,0x68,q; selp.u32 %0,1,0,p;}")
}
KERNEL(plop3)
{
    IN3(u32)
    bool p = x < y, q = (int)y < (int)z, r = (x & 1) != 0;
    W(0) = (p && q) || r;
    W(1) = p ^ q ^ r;
    W(2) = (p ? q : !r) != (q && r);
    W(3) = (p && !q) != (r || (z & 4));
}
KERNEL(r2p)
{
    IN3(u32)
    u32 s = x & 1 ? y : z;
    s = x & 2 ? s + y : s - z;
    s = x & 4 ? s ^ y : s + z;
    s = x & 8 ? s | y : s & z;
    s = x & 0x100 ? s - y : s ^ z;
    s = x & 0x200 ? s & y : s | z;
    W(0) = x & 0x400 ? s + 1 : s << 1;
}

/* --- Integer arithmetic --- */
KERNEL(iadd3)
{
    IN3(u32)
    W(0) = x + y + z;
    W(1) = x - y - z;
    W(2) = y - x + 77;
    W(3) = -x - y;
}
KERNEL(iadd3_x)
{
    IN3(u64)
    L(0) = x + y + z;
    L(1) = x - y - z;
    L(2) = y - x + z;
    L(3) = -x;
    u32 d;
    asm volatile("{.reg .b32 t; add.cc.u32 t,%1,%2; addc.cc.u32 t,%3,%4; addc.u32 %0,0,7;}"
                 : "=r"(d) : "r"((u32)x), "r"((u32)y), "r"((u32)z), "r"((u32)(x >> 32)));
    asm volatile("{.reg .b32 t; sub.cc.u32 t,%1,%2; subc.cc.u32 t,%3,%4; subc.u32 %0,%0,0;}"
                 : "+r"(d) : "r"((u32)x), "r"((u32)y), "r"((u32)z), "r"((u32)(x >> 32)));
    L(4) = d;
}
KERNEL(lea)
{
    IN2(u32)
    W(0) = (x << 5) + y;
    W(1) = y - (x << 4);
    W(2) = (x << 31) + y;
    W(3) = (x << 2) + 1000;
}
KERNEL(lea_hi_x)
{
    IN2(u64)
    l_ll(0, "{.reg .b64 t; shl.b64 t,%1,3; add.s64 %0,t,%2;}")
    l_ll(1, "{.reg .b64 t; shl.b64 t,%1,17; add.s64 %0,t,%2;}")
    l_ll(2, "{.reg .b64 t; shl.b64 t,%1,31; add.s64 %0,t,%2;}")
    l_ll(3, "{.reg .b64 t; shl.b64 t,%1,4; sub.s64 %0,%2,t;}")
    l_ll(4, "{.reg .s32 u; .reg .b64 t; cvt.s32.s64 u,%1; mul.wide.s32 t,u,4; add.s64 %0,t,%2;}")
    l_ll(5, "{.reg .b64 t; and.b64 t,%1,0xffffffff; shl.b64 t,t,7; add.s64 %0,t,%2;}")
    L(6) = (u64)(const u64 *)((const char *)a + (x << 6));
    L(6) -= (u64)a;
}
KERNEL(lea_hi)
{
    IN2(u64)
    r_ll(0, "{.reg .b64 t; .reg .b32 u,v; shl.b64 t,%1,9; mov.b64 {v,u},t; cvt.u32.u64 v,%2; add.u32 %0,u,v;}")
    u32 p = (u32)x, q = (u32)y;
    W(1) = (p >> 27) + q;
    W(2) = q + (u32)((int)p >> 31);
    W(3) = q - (p >> 5);
}
KERNEL(imad)
{
    IN3(u32)
    W(0) = x * y + z;
    W(1) = x * y - z;
    W(2) = z - x * y;
    W(3) = x * 1000003 + z;
}
KERNEL(imad_hi)
{
    IN3(u32)
    r_rr(0, "mul.hi.u32 %0,%1,%2;")
    r_rr(1, "mul.hi.s32 %0,%1,%2;")
    r_rrr(2, "mad.hi.u32 %0,%1,%2,%3;")
    r_rrr(3, "mad.hi.s32 %0,%1,%2,%3;")
}
KERNEL(imad_wide)
{
    THREAD
    u32 x = IN(u32, a), y = IN(u32, b);
    u64 z = IN(u64, c);
    l_rr(0, "mul.wide.u32 %0,%1,%2;")
    l_rr(1, "mul.wide.s32 %0,%1,%2;")
    L(2) = z + (u64)x * y;
    L(3) = z + (int64_t)(int32_t)x * (int32_t)y;
    L(4) = z - (u64)x * y;
    L(5) = z + (int64_t)(int32_t)x * -12345;
}
KERNEL(imad_x)
{
    IN2(u64)
    L(0) = x * y;
    L(1) = __umul64hi(x, y);
    L(2) = __mul64hi(x, y);
    u32 d, e;
    asm volatile("{mad.lo.cc.u32 %0,%2,%3,%4; madc.hi.cc.u32 %1,%2,%3,%5; addc.u32 %0,%0,0;}"
                 : "=r"(d), "=&r"(e)
                 : "r"((u32)x), "r"((u32)y), "r"((u32)(x >> 32)), "r"((u32)(y >> 32)));
    L(3) = (u64)e << 32 | d;
}
KERNEL(divide) { IN2(u32) y |= 1; W(0) = x / y; W(1) = (u32)((int)x / (int)y); W(2) = x % 1000; W(3) = (u32)((int)x / -7); }
KERNEL(idp)
{
    IN3(u32)
    r_rrr(0, "dp4a.u32.u32 %0,%1,%2,%3;")
    r_rrr(1, "dp4a.s32.s32 %0,%1,%2,%3;")
    r_rrr(2, "dp4a.u32.s32 %0,%1,%2,%3;")
    r_rrr(3, "dp2a.lo.s32.s32 %0,%1,%2,%3;")
    r_rrr(4, "dp2a.hi.u32.u32 %0,%1,%2,%3;")
}
KERNEL(imnmx)
{
    IN3(u32)
    r_rr(0, "min.s32 %0,%1,%2;")
    r_rr(1, "max.s32 %0,%1,%2;")
    r_rr(2, "min.u32 %0,%1,%2;")
    r_rr(3, "max.u32 %0,%1,%2;")
    W(4) = __vimax3_s32(x, y, z);
    W(5) = __vimin3_u32(x, y, z);
}
KERNEL(viaddmnmx)
{
    IN3(u32)
    W(0) = __viaddmax_s32(x, y, z);
    W(1) = __viaddmin_u32(x, y, z);
    W(2) = __viaddmax_s32_relu(x, y, z);
    W(3) = __viaddmax_s16x2(x, y, z);
    W(4) = __viaddmin_u16x2(x, y, z);
    W(5) = __vimax3_s16x2_relu(x, y, z);
}
KERNEL(vabsdiff)
{
    IN3(u32)
    r_rrr(0, "sad.u32 %0,%1,%2,%3;")
    r_rrr(1, "sad.s32 %0,%1,%2,%3;")
    W(2) = __vabsdiffu4(x, y);
    W(3) = __vsads4(x, y);
}
KERNEL(iabs) { IN1(u32) W(0) = abs((int)x); }

/* --- Comparisons: bit k of the result is comparison k --- */
#define BIT(k, type, s)                                                                            \
    { u32 t; asm volatile("{.reg .pred p; setp." s " p,%1,%2; selp.b32 %0,1,0,p;}" : "=r"(t) : type(x), type(y)); m |= t << k; }
#define ORDERED(type, suffix)                                                                      \
    BIT(0, type, "eq" suffix) BIT(1, type, "ne" suffix) BIT(2, type, "lt" suffix)                  \
    BIT(3, type, "le" suffix) BIT(4, type, "gt" suffix) BIT(5, type, "ge" suffix)
#define UNORDERED(type, suffix)                                                                    \
    BIT(6, type, "equ" suffix) BIT(7, type, "neu" suffix) BIT(8, type, "ltu" suffix)               \
    BIT(9, type, "leu" suffix) BIT(10, type, "gtu" suffix) BIT(11, type, "geu" suffix)             \
    BIT(12, type, "num" suffix) BIT(13, type, "nan" suffix)
KERNEL(isetp) { IN2(u32) u32 m = 0; ORDERED("r", ".s32") W(0) = m; m = 0; ORDERED("r", ".u32") W(1) = m; }
KERNEL(isetp_ex) { IN2(u64) u32 m = 0; ORDERED("l", ".s64") W(0) = m; m = 0; ORDERED("l", ".u64") W(1) = m; }
KERNEL(isetp_combine)
{
    IN3(u32)
    r_rrr(0, "{.reg .pred p,q,r; setp.lt.u32 r,%2,%3; setp.ge.xor.s32 p|q,%1,%2,r; selp.u32 %0,1,0,p; @q add.u32 %0,%0,2;}")
    r_rrr(1, "{.reg .pred p,q,r; setp.lt.s32 r,%2,%3; setp.ne.and.s32 p|q,%1,%2,!r; selp.u32 %0,1,0,p; @q add.u32 %0,%0,2;}")
    r_rrr(2, "{.reg .pred p,q,r; setp.gt.s32 r,%2,%3; setp.le.or.u32 p|q,%1,%2,r; selp.u32 %0,1,0,p; @q add.u32 %0,%0,2;}")
}
KERNEL(fsetp) { IN2(u32) u32 m = 0; ORDERED("r", ".f32") UNORDERED("r", ".f32") W(0) = m; }
KERNEL(fsetp_ftz) { IN2(u32) u32 m = 0; ORDERED("r", ".ftz.f32") UNORDERED("r", ".ftz.f32") W(0) = m; }
KERNEL(fsetp_combine)
{
    IN3(u32)
    r_rrr(0, "{.reg .pred p,q,r; setp.lt.u32 r,%2,%3; setp.geu.xor.f32 p|q,%1,%2,r; selp.u32 %0,1,0,p; @q add.u32 %0,%0,2;}")
    r_rrr(1, "{.reg .pred p,q,r; setp.lt.s32 r,%2,%3; setp.lt.and.f32 p|q,%1,%2,!r; selp.u32 %0,1,0,p; @q add.u32 %0,%0,2;}")
    r_rrr(2, "{.reg .pred p,q,r; setp.gt.s32 r,%2,%3; setp.ne.or.f32 p|q,%1,%2,r; selp.u32 %0,1,0,p; @q add.u32 %0,%0,2;}")
}
KERNEL(fset)
{
    IN3(u32)
    r_rr(0, "set.lt.f32.f32 %0,%1,%2;")
    r_rr(1, "set.gtu.u32.f32 %0,%1,%2;")
    r_rr(2, "set.nan.u32.f32 %0,%1,%2;")
    r_rrr(3, "slct.f32.f32 %0,%1,%2,%3;")
    r_rrr(4, "slct.ftz.f32.f32 %0,%1,%2,%3;")
}
KERNEL(dsetp) { IN2(u64) u32 m = 0; ORDERED("l", ".f64") UNORDERED("l", ".f64") W(0) = m; }
#define HBIT(k, s)                                                                                 \
    { u32 t; asm volatile("{.reg .pred p,q; .reg .b32 u; setp." s " p|q,%1,%2; selp.b32 %0,1,0,p; selp.b32 u,0x10000,0,q; or.b32 %0,%0,u;}" : "=r"(t) : "r"(x), "r"(y)); m |= t << k; }
#define HALF(s)                                                                                    \
    HBIT(0, "eq" s) HBIT(1, "ne" s) HBIT(2, "lt" s) HBIT(3, "ge" s) HBIT(4, "equ" s)               \
    HBIT(5, "leu" s) HBIT(6, "gtu" s) HBIT(7, "num" s) HBIT(8, "nan" s)
KERNEL(hsetp2) { IN2(u32) u32 m = 0; HALF(".f16x2") W(0) = m; m = 0; HBIT(0, "eq.ftz.f16x2") HBIT(1, "lt.ftz.f16x2") W(1) = m; }
KERNEL(hsetp2_bf16) { IN2(u32) u32 m = 0; HALF(".bf16x2") W(0) = m; }
KERNEL(hset2)
{
    IN2(u32)
    r_rr(0, "set.lt.f16x2.f16x2 %0,%1,%2;")
    r_rr(1, "set.geu.u32.f16x2 %0,%1,%2;")
    r_rr(2, "set.ne.bf16x2.bf16x2 %0,%1,%2;")
}
#define MINMAX(form, row, tail)                                                                    \
    form(row, "min" tail) form(row + 1, "max" tail)
KERNEL(fmnmx)
{
    IN2(u32)
    MINMAX(r_rr, 0, ".f32 %0,%1,%2;")
    MINMAX(r_rr, 2, ".NaN.f32 %0,%1,%2;")
    MINMAX(r_rr, 4, ".ftz.f32 %0,%1,%2;")
    MINMAX(r_rr, 6, ".xorsign.abs.f32 %0,%1,%2;")
}
KERNEL(dmnmx) { IN2(u64) MINMAX(l_ll, 0, ".f64 %0,%1,%2;") }
KERNEL(hmnmx2)
{
    IN2(u32)
    MINMAX(r_rr, 0, ".f16x2 %0,%1,%2;")
    MINMAX(r_rr, 2, ".NaN.f16x2 %0,%1,%2;")
    MINMAX(r_rr, 4, ".xorsign.abs.f16x2 %0,%1,%2;")
    MINMAX(r_rr, 6, ".ftz.f16x2 %0,%1,%2;")
}
KERNEL(hmnmx2_bf16) { IN2(u32) MINMAX(r_rr, 0, ".bf16x2 %0,%1,%2;") MINMAX(r_rr, 2, ".NaN.bf16x2 %0,%1,%2;") }

/* --- Floating-point arithmetic --- */
KERNEL(fadd)
{
    IN2(u32)
    ROUND(r_rr, 0, "add", ".f32 %0,%1,%2;")
    r_rr(4, "add.rn.ftz.f32 %0,%1,%2;")
    r_rr(5, "add.rn.sat.f32 %0,%1,%2;")
}
KERNEL(fmul)
{
    IN2(u32)
    ROUND(r_rr, 0, "mul", ".f32 %0,%1,%2;")
    r_rr(4, "mul.rn.ftz.f32 %0,%1,%2;")
    r_rr(5, "mul.rn.sat.f32 %0,%1,%2;")
}
KERNEL(ffma)
{
    IN3(u32)
    ROUND(r_rrr, 0, "fma", ".f32 %0,%1,%2,%3;")
    r_rrr(4, "fma.rn.ftz.f32 %0,%1,%2,%3;")
    r_rrr(5, "fma.rn.sat.f32 %0,%1,%2,%3;")
}
KERNEL(fdivide)
{
    IN2(u32)
    r_rr(0, "div.rn.f32 %0,%1,%2;")
    r_r(1, "sqrt.rn.f32 %0,%1;")
    r_r(2, "rcp.rn.f32 %0,%1;")
}
KERNEL(dadd) { IN2(u64) ROUND(l_ll, 0, "add", ".f64 %0,%1,%2;") }
KERNEL(dmul) { IN2(u64) ROUND(l_ll, 0, "mul", ".f64 %0,%1,%2;") }
KERNEL(dfma) { IN3(u64) ROUND(l_lll, 0, "fma", ".f64 %0,%1,%2,%3;") }
KERNEL(ddivide) { IN2(u64) l_ll(0, "div.rn.f64 %0,%1,%2;") l_l(1, "sqrt.rn.f64 %0,%1;") }
KERNEL(hadd2)
{
    IN2(u32)
    r_rr(0, "add.rn.f16x2 %0,%1,%2;")
    r_rr(1, "add.rn.ftz.f16x2 %0,%1,%2;")
    r_rr(2, "add.rn.sat.f16x2 %0,%1,%2;")
    r_rr(3, "sub.rn.f16x2 %0,%1,%2;")
}
KERNEL(hmul2)
{
    IN2(u32)
    r_rr(0, "mul.rn.f16x2 %0,%1,%2;")
    r_rr(1, "mul.rn.ftz.f16x2 %0,%1,%2;")
    r_rr(2, "mul.rn.sat.f16x2 %0,%1,%2;")
}
KERNEL(hfma2)
{
    IN3(u32)
    r_rrr(0, "fma.rn.f16x2 %0,%1,%2,%3;")
    r_rrr(1, "fma.rn.ftz.f16x2 %0,%1,%2,%3;")
    r_rrr(2, "fma.rn.sat.f16x2 %0,%1,%2,%3;")
    r_rrr(3, "fma.rn.relu.f16x2 %0,%1,%2,%3;")
}
KERNEL(hfma2_bf16)
{
    IN3(u32)
    r_rrr(0, "fma.rn.bf16x2 %0,%1,%2,%3;")
    r_rrr(1, "fma.rn.relu.bf16x2 %0,%1,%2,%3;")
    r_rr(2, "add.rn.bf16x2 %0,%1,%2;")
    r_rr(3, "mul.rn.bf16x2 %0,%1,%2;")
}

/* --- Special functions --- */
KERNEL(mufu_rcp) { IN1(u32) r_r(0, "rcp.approx.ftz.f32 %0,%1;") r_r(1, "rcp.approx.f32 %0,%1;") }
KERNEL(mufu_rsq) { IN1(u32) r_r(0, "rsqrt.approx.ftz.f32 %0,%1;") r_r(1, "rsqrt.approx.f32 %0,%1;") }
KERNEL(mufu_sqrt) { IN1(u32) r_r(0, "sqrt.approx.ftz.f32 %0,%1;") r_r(1, "sqrt.approx.f32 %0,%1;") }
KERNEL(mufu_sin) { IN1(u32) r_r(0, "sin.approx.ftz.f32 %0,%1;") r_r(1, "sin.approx.f32 %0,%1;") }
KERNEL(mufu_cos) { IN1(u32) r_r(0, "cos.approx.ftz.f32 %0,%1;") r_r(1, "cos.approx.f32 %0,%1;") }
KERNEL(mufu_ex2) { IN1(u32) r_r(0, "ex2.approx.ftz.f32 %0,%1;") r_r(1, "ex2.approx.f32 %0,%1;") }
KERNEL(mufu_lg2) { IN1(u32) r_r(0, "lg2.approx.ftz.f32 %0,%1;") r_r(1, "lg2.approx.f32 %0,%1;") }
KERNEL(mufu_tanh) { IN1(u32) r_r(0, "tanh.approx.f32 %0,%1;") }
KERNEL(mufu_f16) { IN1(u32) r_r(0, "ex2.approx.f16x2 %0,%1;") r_r(1, "tanh.approx.f16x2 %0,%1;") }
KERNEL(mufu_64h) { IN1(u64) l_l(0, "rcp.approx.ftz.f64 %0,%1;") l_l(1, "rsqrt.approx.ftz.f64 %0,%1;") }

/* --- Across the lanes of a warp --- */
KERNEL(vote)
{
    IN2(u32)
    W(0) = __ballot_sync(~0u, x > y);
    W(1) = __any_sync(~0u, x == y) | __all_sync(~0u, x >= (y & 3)) << 1;
    r_rr(2, "{.reg .pred p,q; setp.gt.u32 p,%1,%2; vote.sync.uni.pred q,p,0xffffffff; selp.u32 %0,1,0,q;}")
    u32 part = 0;
    if (x & 1)
        part = __ballot_sync(__activemask(), y & 2);
    W(3) = part;
}
KERNEL(match)
{
    IN2(u32)
    int p, q;
    W(0) = __match_any_sync(~0u, x & 7);
    u32 all = __match_all_sync(~0u, i < 64 ? 5 : x, &p);
    W(1) = all ^ (u32)p;
    W(2) = __match_any_sync(~0u, (u64)(y & 3) << 32 | (x & 1));
    all = __match_all_sync(~0u, (u64)(i < 96 ? 1 : y) << 32, &q);
    W(3) = all ^ (u32)q;
}
#define SHFL(row, how, limit)                                                                      \
    r_rr(row, "{.reg .pred p; shfl.sync." how ".b32 %0|p,%1,%2," limit ",0xffffffff; @p xor.b32 %0,%0,1;}")
KERNEL(shfl)
{
    IN2(u32)
    SHFL(0, "idx", "0x1f")
    SHFL(1, "up", "0x0")
    SHFL(2, "down", "0x1f")
    SHFL(3, "bfly", "0x1f")
    SHFL(4, "idx", "0x181f")
    SHFL(5, "up", "0x1000")
    SHFL(6, "down", "0x180f")
    SHFL(7, "bfly", "0x1c03")
}
KERNEL(redux)
{
    IN1(u32)
    W(0) = __reduce_add_sync(~0u, x);
    W(1) = __reduce_min_sync(~0u, x) ^ __reduce_max_sync(~0u, x);
    W(2) = (u32)__reduce_min_sync(~0u, (int)x) ^ (u32)__reduce_max_sync(~0u, (int)x);
    W(3) = __reduce_and_sync(~0u, x | 1) + __reduce_or_sync(~0u, x & 0xff00) + __reduce_xor_sync(~0u, x);
    u32 part = 0;
    if (x & 2)
        part = __reduce_add_sync(__activemask(), x);
    W(4) = part;
}

/* --- Atomics: row 0 of the output is what they change; each thread has a word of its own, or
 * many threads change one word in ways whose order does not matter --- */
#define ATOM(row, s)                                                                               \
    { u32 d; asm volatile(s : "=r"(d) : "l"((u32 *)out + i), "r"(x), "r"(y) : "memory"); W(row) = d; }
KERNEL(atom_add_inc)
{
    IN2(u32)
    ATOM(1, "atom.global.add.u32 %0,[%1],%2;")
    ATOM(2, "atom.global.inc.u32 %0,[%1],%3;")
    ATOM(3, "atom.global.dec.u32 %0,[%1],%2;")
    ATOM(4, "atom.global.inc.u32 %0,[%1],%2;")
}
KERNEL(atom_bits)
{
    IN2(u32)
    ATOM(1, "atom.global.and.b32 %0,[%1],%2;")
    ATOM(2, "atom.global.or.b32 %0,[%1],%3;")
    ATOM(3, "atom.global.xor.b32 %0,[%1],%2;")
}
KERNEL(atom_minmax)
{
    IN2(u32)
    ATOM(1, "atom.global.min.u32 %0,[%1],%2;")
    ATOM(2, "atom.global.max.s32 %0,[%1],%3;")
    ATOM(3, "atom.global.min.s32 %0,[%1],%2;")
    ATOM(4, "atom.global.max.u32 %0,[%1],%3;")
}
KERNEL(atom_exchange)
{
    IN2(u32)
    ATOM(1, "atom.global.exch.b32 %0,[%1],%2;")
    ATOM(2, "atom.global.cas.b32 %0,[%1],%2,%3;")
    ATOM(3, "atom.global.cas.b32 %0,[%1],%2,%3;")
}
#define ATOM64(row, s)                                                                             \
    { u64 d; asm volatile(s : "=l"(d) : "l"((u64 *)out + i), "l"(x), "l"(y) : "memory"); L(row) = d; }
KERNEL(atom_64)
{
    IN2(u64)
    ATOM64(1, "atom.global.add.u64 %0,[%1],%2;")
    ATOM64(2, "atom.global.max.s64 %0,[%1],%3;")
    ATOM64(3, "atom.global.min.u64 %0,[%1],%2;")
    ATOM64(4, "atom.global.cas.b64 %0,[%1],%2,%3;")
    ATOM64(5, "atom.global.exch.b64 %0,[%1],%3;")
    ATOM64(6, "atom.global.xor.b64 %0,[%1],%2;")
}
KERNEL(atom_f32) { IN2(u32) ATOM(1, "{.reg .f32 t; atom.global.add.f32 t,[%1],%2; mov.b32 %0,t;}") ATOM(2, "{.reg .f32 t; atom.global.add.f32 t,[%1],%3; mov.b32 %0,t;}") }
KERNEL(atom_f64) { IN2(u64) ATOM64(1, "{.reg .f64 t; atom.global.add.f64 t,[%1],%2; mov.b64 %0,t;}") ATOM64(2, "{.reg .f64 t; atom.global.add.f64 t,[%1],%3; mov.b64 %0,t;}") }
KERNEL(atom_f16) { IN2(u32) ATOM(1, "atom.global.add.noftz.f16x2 %0,[%1],%2;") ATOM(2, "atom.global.add.noftz.f16x2 %0,[%1],%3;") }
KERNEL(atom_bf16) { IN2(u32) ATOM(1, "atom.global.add.noftz.bf16x2 %0,[%1],%2;") ATOM(2, "atom.global.add.noftz.bf16x2 %0,[%1],%3;") }
#define RED(word, s) asm volatile(s ::"l"((u32 *)out + (word)), "r"(x) : "memory");
KERNEL(red_shared_word)
{
    u32 x = ((const u32 *)a)[blockIdx.x * blockDim.x + threadIdx.x];
    RED(0, "red.global.add.u32 [%0],%1;")
    RED(1, "red.global.min.u32 [%0],%1;")
    RED(2, "red.global.max.s32 [%0],%1;")
    RED(3, "red.global.and.b32 [%0],%1;")
    RED(4, "red.global.or.b32 [%0],%1;")
    RED(5, "red.global.xor.b32 [%0],%1;")
    RED(6, "red.global.inc.u32 [%0],0x64;")
    RED(7, "red.global.add.s32 [%0],1;")
    RED(8 + (x & 3), "red.global.add.u32 [%0],%1;")
    u64 w = x;
    asm volatile("red.global.add.u64 [%0],%1;" ::"l"((u64 *)out + 8), "l"(w << 20) : "memory");
}
#define ATOMS(row, s)                                                                              \
    { u32 d; asm volatile(s : "=r"(d) : "r"(at), "r"(x), "r"(y) : "memory"); W(row) = d; }
KERNEL(atoms)
{
    __shared__ u32 words[128];
    IN2(u32)
    words[threadIdx.x] = ((u32 *)out)[i];
    __syncthreads();
    u32 at = (u32)__cvta_generic_to_shared(&words[threadIdx.x]);
    ATOMS(1, "atom.shared.add.u32 %0,[%1],%2;")
    ATOMS(2, "atom.shared.inc.u32 %0,[%1],%3;")
    ATOMS(3, "atom.shared.dec.u32 %0,[%1],%2;")
    ATOMS(4, "atom.shared.min.s32 %0,[%1],%3;")
    ATOMS(5, "atom.shared.max.u32 %0,[%1],%2;")
    ATOMS(6, "atom.shared.xor.b32 %0,[%1],%3;")
    ATOMS(7, "atom.shared.exch.b32 %0,[%1],%3;")
    ATOMS(8, "atom.shared.cas.b32 %0,[%1],%2,%3;")
    __syncthreads();
    W(0) = words[threadIdx.x];
}
KERNEL(atoms_shared_word)
{
    __shared__ u32 words[8];
    IN1(u32)
    if (threadIdx.x < 8)
        words[threadIdx.x] = threadIdx.x == 5 ? 0 : ((u32 *)out)[threadIdx.x];
    __syncthreads();
    u32 at = (u32)__cvta_generic_to_shared(words);
    asm volatile("red.shared.add.u32 [%0],%1;" ::"r"(at), "r"(x) : "memory");
    asm volatile("red.shared.and.b32 [%0+4],%1;" ::"r"(at), "r"(x | 0xff) : "memory");
    asm volatile("red.shared.max.s32 [%0+8],%1;" ::"r"(at), "r"(x) : "memory");
    asm volatile("red.shared.add.u32 [%0+12],1;" ::"r"(at) : "memory");
    asm volatile("red.shared.inc.u32 [%0+16],0x10;" ::"r"(at) : "memory");
    atomicAdd((float *)words + 5, (float)(x & 255)); /* sums are exact */
    atomicAdd((unsigned long long *)words + 3, (unsigned long long)x);
    __syncthreads();
    if (threadIdx.x < 8)
        W(1) = words[threadIdx.x];
}

/* --- Memory: widths, signs, transposed matrices in shared memory --- */
KERNEL(loads)
{
    THREAD
    const char *p = (const char *)a + i * 4;
    u32 d, e, f, g;
    asm volatile("ld.global.s8 %0,[%1+1];" : "=r"(d) : "l"(p)); W(0) = d;
    asm volatile("ld.global.u8 %0,[%1+3];" : "=r"(d) : "l"(p)); W(1) = d;
    asm volatile("ld.global.s16 %0,[%1+2];" : "=r"(d) : "l"(p)); W(2) = d;
    asm volatile("ld.global.u16 %0,[%1];" : "=r"(d) : "l"(p)); W(3) = d;
    p = (const char *)b + i % 224 * 16;
    asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(d), "=r"(e), "=r"(f), "=r"(g) : "l"(p));
    W(4) = d - e + (f ^ g);
    asm volatile("st.global.u8 [%0],%1;" ::"l"((char *)out + 20 * n + i * 4 + 1), "r"(d) : "memory");
    asm volatile("st.global.u16 [%0],%1;" ::"l"((char *)out + 20 * n + i * 4 + 2), "r"(e) : "memory");
}
KERNEL(ldsm_stsm)
{
    __shared__ __align__(16) u32 words[4 * 256];
    IN1(u32)
    u32 warp = threadIdx.x / 32 * 256, lane = threadIdx.x & 31, d, e, f, g;
    for (u32 k = 0; k < 8; k++)
        words[warp + lane + 32 * k] = x + k * 0x10203;
    __syncwarp();
    u32 at = (u32)__cvta_generic_to_shared(words + warp + lane * 4);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];" : "=r"(d) : "r"(at));
    W(0) = d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1},[%2];" : "=r"(d), "=r"(e) : "r"(at));
    W(1) = d ^ e * 3;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(d), "=r"(e), "=r"(f), "=r"(g) : "r"(at));
    W(2) = d + e * 3 + f * 5 + g * 7;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%1;" : "=r"(d) : "r"(x));
    W(3) = d;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0+512],{%1,%2,%3,%4};" ::"r"(at), "r"(d), "r"(e), "r"(f), "r"(g) : "memory");
    __syncwarp();
    W(4) = words[warp + 128 + lane] + words[warp + 160 + lane] * 3 + words[warp + 192 + lane] * 5 + words[warp + 224 + lane] * 7;
}

/* --- Tensor instructions: operands in the order of their registers --- */
#define MMA32(name, shape)                                                 \
    KERNEL(name)                                                                                   \
    {                                                                                              \
        THREAD                                                                                     \
        const u32 *A = (const u32 *)a + i * 4, *B = (const u32 *)b + i * 2, *C = (const u32 *)c + i * 4; \
        u32 d0, d1, d2, d3;                                                                        \
        asm volatile("mma.sync.aligned." shape " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};" \
                     : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)                                      \
                     : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]),           \
                       "r"(C[0]), "r"(C[1]), "r"(C[2]), "r"(C[3]));                                \
        W(0) = d0; W(1) = d1; W(2) = d2; W(3) = d3;                                                \
    }
MMA32(hmma_f16, "m16n8k16.row.col.f32.f16.f16.f32")
MMA32(hmma_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA32(hmma_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32")
MMA32(imma_s8, "m16n8k32.row.col.s32.s8.s8.s32")
MMA32(imma_u8_sat, "m16n8k32.row.col.satfinite.s32.u8.s8.s32")
KERNEL(hmma_f16_f16)
{
    THREAD
    const u32 *A = (const u32 *)a + i * 4, *B = (const u32 *)b + i * 2, *C = (const u32 *)c + i * 2;
    u32 d0, d1;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3,%4,%5},{%6,%7},{%8,%9};"
                 : "=r"(d0), "=r"(d1)
                 : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B[0]), "r"(B[1]), "r"(C[0]), "r"(C[1]));
    W(0) = d0;
    W(1) = d1;
}
KERNEL(dmma)
{
    IN2(u64)
    u64 c0 = ((const u64 *)c)[2 * i], c1 = ((const u64 *)c)[2 * i + 1], d0, d1;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%4,%5};" : "=l"(d0), "=l"(d1) : "l"(x), "l"(y), "l"(c0), "l"(c1));
    L(0) = d0;
    L(1) = d1;
}
